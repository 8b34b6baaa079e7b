/** Returns uniform numbers in [0, 1) that are computed from a state, so that a later run can repeat them. */
export interface SeededRandom {
  next(): number;
  /** A whole number below 2³². A generator that starts from this number continues the same sequence. */
  readonly state: number;
}

/** The generator mulberry32. Its state is one number, and it is good enough to spread delays. */
export function seededRandom(state: number): SeededRandom {
  let current = state >>> 0;
  return {
    next() {
      current = (current + 0x6d2b79f5) >>> 0;
      let mixed = Math.imul(current ^ (current >>> 15), current | 1);
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    },
    get state() {
      return current;
    },
  };
}
