/** The result of work that is otherwise done in slices of the event loop. */
export function runToEnd<R>(work: Generator<void, R, undefined>): R {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}
