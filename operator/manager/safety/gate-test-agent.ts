/** The `User-Agent` of the gate's self-test. Its request is answered, but not counted as a review. */
export const GATE_TEST_AGENT = 'chancery-gate-self-test';

/** The answer to the self-test of a webhook, if the operator would now answer a review of this webhook. */
export const GATE_TEST_READY = 'ready\n';
