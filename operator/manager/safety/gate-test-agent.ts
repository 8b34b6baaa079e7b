/** The `User-Agent` of the gate's self-test. Its request is not a review: it is answered, but not counted. */
export const GATE_TEST_AGENT = 'chancery-gate-self-test';

/** The answer to such a request when the operator would answer a review of that webhook now. */
export const GATE_TEST_READY = 'ready\n';
