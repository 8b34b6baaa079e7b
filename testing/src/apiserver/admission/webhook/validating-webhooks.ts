import type { AdmissionRequest } from '../../cluster/admission-request.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { answerOf, runSteps, type Steps } from '../../cluster/steps.ts';
import { ADMISSION_GROUP } from '../request/match.ts';
import { ask, denial, refusalOf, requestFor } from './call-webhook.ts';
import { type Webhook, webhooksOf } from './webhook.ts';

const CONFIGURATIONS = `validatingwebhookconfigurations.${ADMISSION_GROUP}`;

/**
 * Calls all webhooks that match a write, in parallel. If several webhooks refuse, the answer is the refusal
 * that came first (k8s.io/apiserver, pkg/admission/plugin/webhook/validating/dispatcher.go).
 *
 * @throws ApiError when a webhook denies the request, or fails and its `failurePolicy` is not `Ignore`.
 */
export function* callValidatingWebhooks(cluster: Cluster, request: AdmissionRequest): Steps<void> {
  if (request.served.group === ADMISSION_GROUP) return;
  const calls: { readonly webhook: Webhook; readonly seen: AdmissionRequest }[] = [];
  for (const webhook of webhooksOf(cluster, CONFIGURATIONS)) {
    const seen = yield* requestFor(cluster, webhook, request);
    if (seen !== undefined) calls.push({ webhook, seen });
  }
  if (calls.length === 0) return;
  const errors: unknown[] = [];
  yield* answerOf(() =>
    Promise.all(
      calls.map(async ({ webhook, seen }) => {
        try {
          const answer = await runSteps(ask(cluster, webhook, seen, false));
          if (answer?.allowed === false) errors.push(denial(webhook, answer));
        } catch (error) {
          const refusal = refusalOf(error, webhook);
          if (refusal !== undefined) errors.push(refusal);
          else
            seen.writer.annotate(
              failedOpen(calls.findIndex((one) => one.webhook === webhook)),
              webhook.name,
            );
        }
      }),
    ),
  );
  if (errors.length > 0) throw errors[0];
}

function failedOpen(index: number): string {
  return `failed-open.validating.webhook.admission.k8s.io/round_0_index_${index}`;
}
