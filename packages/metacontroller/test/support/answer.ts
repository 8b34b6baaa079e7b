import { runToEnd } from '../../../../test/support/run-to-end.ts';
import type { HookAnswer } from '../../src/hook-function.ts';
import { type AnswerValue, answerValue } from '../../src/json/answer-value.ts';

/** The data of an answer of a sync hook. */
export function readAnswer(answer: HookAnswer): AnswerValue {
  return runToEnd(answerValue(answer, 'sync'));
}
