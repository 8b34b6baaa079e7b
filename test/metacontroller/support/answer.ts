import type { HookAnswer } from '../../../operator/metacontroller/hook-function.ts';
import {
  type AnswerValue,
  answerValue,
} from '../../../operator/metacontroller/json/answer-value.ts';
import { runToEnd } from '../../support/run-to-end.ts';

/** The data of an answer of a sync hook. */
export function readAnswer(answer: HookAnswer): AnswerValue {
  return runToEnd(answerValue(answer, 'sync'));
}
