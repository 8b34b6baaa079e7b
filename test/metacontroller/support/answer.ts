import type { HookAnswer } from '../../../operator/metacontroller/hook-function.ts';
import { type AnswerValue, answerValue } from '../../../operator/metacontroller/json/answer-value.ts';

/** The data of an answer of a sync hook, read in one go. */
export function readAnswer(answer: HookAnswer): AnswerValue {
  const work = answerValue(answer, 'sync');
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}
