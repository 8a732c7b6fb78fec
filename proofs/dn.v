(* SPDX-License-Identifier: Apache-2.0

   leech.md 5.7 for every number of coordinates (claims LEECH-DN-1 and LEECH-DN-2 do 24). Optional:
   coqc proofs/dn.v. It must end with "Closed under the global context".

   Two neighbouring values of a coordinate are 2 h apart. A coordinate is a pair (r, m): r is
   what rounding leaves, -h <= r <= h, and m the number of steps that a competing point is away
   from the rounded one. *)
Require Import ZArith Lia List Bool.
Import ListNotations.
Open Scope Z_scope.

Section Coset.

Variable h : Z.
Hypothesis h_positive : 0 < h.

(* What m steps cost in squared distance. *)
Definition cost (r m : Z) : Z := (r - 2 * h * m) * (r - 2 * h * m) - r * r.

(* What the step to the second nearest value costs. With h = 16384: 2^30 - 65536 |r|. *)
Definition second (r : Z) : Z := 4 * h * (h - Z.abs r).

Definition step (r : Z) : Z := if 0 <=? r then 1 else -1.

Definition point := list (Z * Z).

Definition rounded (p : point) : Prop := forall r m, In (r, m) p -> Z.abs r <= h.

Fixpoint total (p : point) : Z :=
  match p with [] => 0 | (r, m) :: rest => cost r m + total rest end.

Fixpoint steps (p : point) : Z :=
  match p with [] => 0 | (_, m) :: rest => m + steps rest end.

Lemma second_is_one_step : forall r, Z.abs r <= h -> cost r (step r) = second r.
Proof.
  intros r _. unfold cost, second, step.
  destruct (Z.leb_spec 0 r); [rewrite Z.abs_eq by lia | rewrite Z.abs_neq by lia]; ring.
Qed.

Lemma second_nonnegative : forall r, Z.abs r <= h -> 0 <= second r.
Proof. intros r bound. unfold second. nia. Qed.

(* No number of steps but zero is cheaper than the second nearest value. *)
Lemma any_step : forall r m, Z.abs r <= h -> m <> 0 -> second r <= cost r m.
Proof.
  intros r m bound moved. unfold second, cost.
  replace ((r - 2 * h * m) * (r - 2 * h * m) - r * r) with (4 * h * (h * (m * m) - r * m)) by ring.
  apply Z.mul_le_mono_nonneg_l; [lia |].
  assert (far : 1 <= Z.abs m) by lia.
  assert (with_sign : r * m <= Z.abs r * Z.abs m) by (rewrite <- Z.abs_mul; lia).
  assert (square : m * m = Z.abs m * Z.abs m) by (rewrite <- Z.abs_mul; lia).
  rewrite square.
  assert (0 <= (Z.abs m - 1) * (h - Z.abs r)) by nia.
  assert (0 <= h * (Z.abs m * (Z.abs m - 1))) by nia.
  nia.
Qed.

Lemma cost_nonnegative : forall r m, Z.abs r <= h -> 0 <= cost r m.
Proof.
  intros r m bound. destruct (Z.eq_dec m 0) as [-> | moved].
  - unfold cost. nia.
  - pose proof (any_step r m bound moved). pose proof (second_nonnegative r bound). lia.
Qed.

(* Rounding gives a nearest point where its parity is right. *)
Theorem right_parity : forall p, rounded p -> 0 <= total p.
Proof.
  induction p as [| [r m] rest hope]; intros all; simpl; [lia |].
  pose proof (cost_nonnegative r m (all r m (or_introl eq_refl))).
  assert (rounded rest) by (intros a b there; exact (all a b (or_intror there))).
  specialize (hope H0). lia.
Qed.

(* Where it is wrong, no point of the other parity is cheaper than the cheapest single step. *)
Theorem wrong_parity : forall p least,
  rounded p -> (forall r m, In (r, m) p -> least <= second r) -> Z.odd (steps p) = true ->
  least <= total p.
Proof.
  induction p as [| [r m] rest hope]; intros least all cheap odd; simpl in *; [discriminate |].
  assert (bound : Z.abs r <= h) by exact (all r m (or_introl eq_refl)).
  assert (all_rest : rounded rest) by (intros a b there; exact (all a b (or_intror there))).
  rewrite Z.odd_add in odd. destruct (Z.odd m) eqn:odd_m.
  - assert (moved : m <> 0) by (intros ->; discriminate).
    pose proof (any_step r m bound moved). pose proof (cheap r m (or_introl eq_refl)).
    pose proof (right_parity rest all_rest). lia.
  - rewrite xorb_false_l in odd.
    pose proof (cost_nonnegative r m bound).
    assert (least <= total rest).
    { apply hope; [exact all_rest | | exact odd].
      intros a b there. exact (cheap a b (or_intror there)). }
    lia.
Qed.

End Coset.

Print Assumptions wrong_parity.
