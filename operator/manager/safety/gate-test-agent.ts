/** The `User-Agent` of the gate's self-test. Its request is answered, but not counted as a review. */
export const GATE_TEST_AGENT = 'chancery-gate-self-test';

/** The answer to the self-test when the operator would answer a review of that webhook now. */
export const GATE_TEST_READY = 'ready\n';
