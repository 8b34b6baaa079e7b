/** What says whether writes may still leave this process: leadership, seen from the writer. */
export interface Fence {
  /**
   * Until when, on `clock.monotonic()`, a write that begins now must be over, answered or not: after
   * that another leader may act. Infinity for no limit. Asked before every write, so that it holds after
   * a stall, too.
   *
   * @throws LeadershipLostError `LEADERSHIP_LOST` when no write may begin any more, or none yet.
   */
  writeDeadlineAt(): number;
}
