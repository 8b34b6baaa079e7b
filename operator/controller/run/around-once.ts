import type { AroundAttempt, Attempt, AttemptEnd } from './attempt.ts';

/**
 * Makes an attempt with `around` about it. Whatever that does, the attempt is made exactly once, and
 * ends as it has ended.
 *
 * @param failed - `around` itself threw.
 */
export async function aroundOnce(
  around: AroundAttempt,
  attempt: Attempt,
  next: () => Promise<AttemptEnd>,
  failed: (error: unknown) => void,
): Promise<AttemptEnd> {
  let made: Promise<AttemptEnd> | undefined;
  const once = (): Promise<AttemptEnd> => {
    made ??= next();
    return made;
  };
  try {
    await around(attempt, once);
  } catch (error) {
    failed(error);
  }
  return once();
}
