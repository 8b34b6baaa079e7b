import { OperatorError } from 'chancery';
import { HookError } from '../run/hook-error.ts';

/** Members of an error's context that never contain data of an object. */
const FACTS = ['reason', 'exitCode', 'document', 'status'];

/**
 * Describes an error without its message, because the message may quote an object. The result has
 * the class, the code and the facts of the error and of its cause: `HookError USER_CODE patch
 * document=3: ApiError API_STATUS reason=Conflict status=409`.
 */
export function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  if (!(error instanceof OperatorError)) return error.name;
  const facts = FACTS.flatMap((name) => {
    const fact = error.context[name];
    return fact === undefined ? [] : [`${name}=${fact}`];
  });
  const failure = error instanceof HookError ? [error.failure] : [];
  const own = [error.name, error.code, ...failure, ...facts].join(' ');
  return error.cause instanceof OperatorError ? `${own}: ${describeFailure(error.cause)}` : own;
}
