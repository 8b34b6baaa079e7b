/** The `User-Agent` of the self-test of the gate. What it asks is no review: it is answered, and counted nowhere. */
export const GATE_TEST_AGENT = 'chancery-gate-self-test';
