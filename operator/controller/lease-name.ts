/** What may need a leader: a controller, or anything else that a manager runs. */
interface Guardable {
  readonly name: string;
  /** Default true. */
  readonly needsLeaderElection?: boolean;
}

/**
 * The name of the Lease of what has no name for it: the first declaration's that needs a leader, and
 * `-leader`.
 *
 * Only the first counts, so that an operator that gains another controller shares its Lease with the
 * version before, while both run: under another name each would lead.
 */
export function leaseNameOf(declared: readonly Guardable[]): string {
  const first = declared.find(({ needsLeaderElection = true }) => needsLeaderElection);
  return `${first?.name ?? 'chancery'}-leader`;
}
