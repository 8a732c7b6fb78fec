# SPDX-License-Identifier: Apache-2.0
"""Generates text with the real llama.cpp v0.4.0: llama_interop.py FOLDER MODEL OTHER PROMPT N.

FOLDER is what tools/get_llama.sh prints. The models' tokens are bytes + 3. MODEL generates N bytes, each
the most likely one. OTHER, which has the same weights in another form, reads the same text: its logits must be
nearly the same, and so must the byte that it would go on with. Prints what happened."""
import ctypes
import sys

folder, paths, prompt, count = sys.argv[1], sys.argv[2:4], sys.argv[4].encode(), int(sys.argv[5])
# The engine rounds activations to 8 bits where weights are IQ3_XXS: 0.012 was measured, and 0.09 and
# more for other weights.
NEARLY = 0.03
pointer, i32, u32, real, flag = (ctypes.c_void_p, ctypes.c_int32, ctypes.c_uint32, ctypes.c_float,
                                 ctypes.c_bool)


def structure(name, *fields):
    return type(name, (ctypes.Structure,), {"_fields_": [
        (f"{name}_{i}", kind) if not isinstance(kind, tuple) else kind for i, kind in enumerate(fields)]})


# llama.h of v0.4.0; only the named fields are touched.
ModelParams = structure("m", pointer, pointer, i32, i32, i32, i32, i32, pointer, pointer, pointer, pointer,
                        flag, ("check_tensors", flag), flag, flag, flag, flag)
ContextParams = structure("c", ("n_ctx", u32), ("n_batch", u32), ("n_ubatch", u32), u32, u32, u32, u32,
                          ("n_threads", i32), ("n_threads_batch", i32), i32, i32, i32, i32, i32,
                          real, real, real, real, real, real, u32, real, pointer, pointer, i32, i32,
                          pointer, pointer, flag, flag, flag, flag, flag, flag, pointer,
                          ctypes.c_size_t, pointer)
Batch = structure("b", i32, pointer, pointer, pointer, pointer, pointer, pointer)

for name in ("libggml-base.so", "libggml.v0.4.0.so"):
    ctypes.CDLL(f"{folder}/{name}", mode=ctypes.RTLD_GLOBAL)
ggml = ctypes.CDLL(f"{folder}/libggml.v0.4.0.so", mode=ctypes.RTLD_GLOBAL)
llama = ctypes.CDLL(f"{folder}/libllama.v0.4.0.so")
LOG = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_char_p, pointer)
log = LOG(lambda level, text, _: sys.stderr.write(text.decode(errors="replace")) if level in (3, 4) else None)
llama.llama_log_set(log, None)
ggml.ggml_backend_load_all_from_path(folder.encode())
llama.llama_backend_init()
llama.llama_model_default_params.restype = ModelParams
llama.llama_context_default_params.restype = ContextParams
llama.llama_model_load_from_file.argtypes = [ctypes.c_char_p, ModelParams]
llama.llama_model_load_from_file.restype = pointer
llama.llama_init_from_model.argtypes = [pointer, ContextParams]
llama.llama_init_from_model.restype = pointer
llama.llama_batch_get_one.argtypes = [pointer, i32]
llama.llama_batch_get_one.restype = Batch
llama.llama_decode.argtypes = [pointer, Batch]
llama.llama_get_logits_ith.argtypes = [pointer, i32]
llama.llama_get_logits_ith.restype = ctypes.POINTER(real)



class Engine:
    def __init__(self, path):
        params = llama.llama_model_default_params()
        params.check_tensors = True
        model = llama.llama_model_load_from_file(path.encode(), params)
        if not model:
            sys.exit(f"llama.cpp does not load {path}")
        params = llama.llama_context_default_params()
        params.n_ctx, params.n_threads, params.n_threads_batch = 256, 1, 1
        self.context = llama.llama_init_from_model(model, params)
        if not self.context:
            sys.exit("no context")

    def logits(self, tokens):
        array = (i32 * len(tokens))(*tokens)
        if llama.llama_decode(self.context, llama.llama_batch_get_one(array, len(tokens))) != 0:
            sys.exit("llama_decode failed")
        return llama.llama_get_logits_ith(self.context, -1)[0:259]


def best(logits):
    return max(range(259), key=lambda i: logits[i])


model, other = (Engine(path) for path in paths)
tokens = [byte + 3 for byte in prompt]
text = b""
same = 0
apart = 0.0
while len(text) < count:
    one, two = model.logits(tokens), other.logits(tokens)
    tokens = [best(one)]
    # Root mean square of the differences, without a common shift, against that of the logits.
    mean = [sum(row) / len(row) for row in (one, two)]
    apart += sum((x - y - mean[0] + mean[1]) ** 2 for x, y in zip(one, two)) / sum(
        (x - mean[0]) ** 2 for x in one) / count
    same += best(one) == best(two)
    text += bytes([max(best(one) - 3, 0)])
print(f"{prompt.decode()}{text.decode(errors='replace')}")
print(f"the same byte in {same} of {count} steps; logits apart by {apart ** 0.5:.5f} of their spread")
if same < 0.95 * count or apart**0.5 > NEARLY:
    sys.exit("these are not the same weights")
