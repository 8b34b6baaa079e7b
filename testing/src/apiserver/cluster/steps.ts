/**
 * An operation such as a create, as a sequence of steps. It yields a function when it needs an answer from
 * outside of the server, for example from a webhook. Everything between two such calls runs without
 * interruption.
 */
export type Steps<T> = Generator<Question, T, unknown>;

/** Calls a program outside of the server. */
type Question = () => Promise<unknown>;

/**
 * The answer of a program outside of the server. Undefined if the steps run without such calls (`runNow`).
 */
export function* answerOf<T>(question: () => Promise<T>): Steps<T | undefined> {
  return (yield question) as T | undefined;
}

/**
 * Runs all steps without any call to the outside, for writes from inside the server. They call no webhooks.
 */
export function runNow<T>(steps: Steps<T>): T {
  let step = steps.next();
  while (!step.done) step = steps.next(undefined);
  return step.value;
}

/** Runs all steps, and waits whenever they call a program outside of the server. */
export async function runSteps<T>(steps: Steps<T>): Promise<T> {
  let step = steps.next();
  while (!step.done) {
    const asked = await answered(step.value);
    step = 'error' in asked ? steps.throw(asked.error) : steps.next(asked.value);
  }
  return step.value;
}

async function answered(question: Question): Promise<{ value: unknown } | { error: unknown }> {
  try {
    return { value: await question() };
  } catch (error) {
    return { error };
  }
}
