import { encodeExact } from '../client/rest-client.ts';
import type { Log } from '../controller/reconciler.ts';
import { CONVERSION_PATH } from '../model/custom-resource-definition.ts';
import type { Endpoint } from './endpoint.ts';
import { readReviewText } from './review/read-review.ts';

/**
 * Answers a parsed ConversionReview.
 *
 * @throws ProtocolError `DECODE` when there is nothing to answer; `signal.reason` when aborted.
 */
export type AnswerConversion = (
  review: unknown,
  options: { readonly onFailure: (error: Error) => void; readonly signal: AbortSignal },
) => Promise<object>;

/** The API server waits this long for a conversion, and no definition can change it. */
const CONVERSION_SECONDS = 30;

/** The endpoint that converts objects between the versions of all resources. It reads no cache. */
export function conversionEndpoint(answer: AnswerConversion, log: Log): Endpoint {
  return {
    name: 'conversion',
    path: CONVERSION_PATH,
    timeoutSeconds: CONVERSION_SECONDS,
    ready: () => true,
    async answer(text, { signal }) {
      const review = await readReviewText(text, 'conversion', signal);
      let failure: Error | undefined;
      const answered = await answer(review, {
        onFailure: (error) => {
          failure = error;
        },
        signal,
      });
      if (failure !== undefined) log.error({ err: failure }, 'conversion failed');
      const outcome = failure === undefined ? 'allowed' : 'failed';
      return { status: 200, text: encodeExact(answered), outcome };
    },
  };
}
