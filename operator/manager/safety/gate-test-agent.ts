/** The `User-Agent` of the gate's self-test. Its request is not a review: it is answered, but not counted. */
export const GATE_TEST_AGENT = 'chancery-gate-self-test';
