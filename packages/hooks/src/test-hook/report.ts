import { isMapping, type Mapping } from 'chancery/internal';
import type { MetricOperation } from '../metrics/metric-operation.ts';
import { titleOf } from '../patches/patch-document.ts';
import { formatRights, rulesFor } from '../rights/required-rights.ts';
import type { Examined } from './examine.ts';

/** Describes the contexts that the hook got, one line per context. */
export function contextLines(contexts: readonly Mapping[]): readonly string[] {
  return contexts.map((context) => {
    const { binding, type, watchEvent, object, objects, review, snapshots } = context;
    const parts = [
      type,
      watchEvent,
      nameIn(object),
      Array.isArray(objects) && `${objects.length} objects`,
      ...reviewParts(context, review),
      ...Object.entries(snapshots ?? {}).map(
        ([name, items]) => `snapshot ${name}: ${(items as readonly unknown[]).length}`,
      ),
    ].filter(Boolean);
    return `context ${binding}${parts.length === 0 ? '' : `: ${parts.join(', ')}`}`;
  });
}

function reviewParts({ fromVersion, toVersion }: Mapping, review: unknown): readonly string[] {
  const request = isMapping(review) && isMapping(review.request) ? review.request : {};
  if (Array.isArray(request.objects)) {
    return [`${fromVersion} to ${toVersion}`, `${request.objects.length} objects`];
  }
  const { operation, object, oldObject } = request;
  return [operation, nameIn(object ?? oldObject ?? undefined)].filter(
    (part) => typeof part === 'string',
  );
}

function nameIn(object: unknown): string | undefined {
  if (object === undefined) return undefined;
  const { kind, metadata } = object as {
    readonly kind?: string;
    readonly metadata?: { readonly namespace?: string; readonly name?: string };
  };
  const place = metadata?.namespace === undefined ? '' : `${metadata.namespace}/`;
  return `${kind ?? 'object'} ${place}${metadata?.name ?? ''}`;
}

/** Describes the results of the hook, and the reasons to refuse them, one line per fact. */
export function examinedLines(
  hookName: string,
  { answer, documents, metrics, warnings, refusal, missing }: Examined,
): readonly string[] {
  const rules = rulesFor(missing.map(({ right }) => right));
  return [
    ...answer,
    ...documents.map(({ number, action }) => `patch ${number}: ${titleOf(action)}`),
    ...metrics.map(metricLine),
    ...warnings.map((warning) => `warning: ${warning}; --strict-patches refuses it`),
    ...(refusal === undefined ? [] : [`refused: ${refusal}`]),
    ...missing.map(
      ({ number, right: { verb, resource, apiGroup } }) =>
        `missing right: ${verb} ${resource}${apiGroup === '' ? '' : `.${apiGroup}`}, for document ${number}`,
    ),
    ...(rules.length === 0
      ? []
      : [`add to ${hookName}.rights.yaml, or use --record-rights:`, formatRights(rules).trimEnd()]),
  ];
}

function metricLine(operation: MetricOperation): string {
  if (operation.action === 'expire') return `metrics: expire group ${operation.group}`;
  const { action, name, value, labels, group } = operation;
  const shown = Object.entries(labels).map(([label, text]) => `${label}=${JSON.stringify(text)}`);
  const series = shown.length === 0 ? name : `${name}{${shown.join(',')}}`;
  return `metric: ${action} ${series} ${value}${group === undefined ? '' : `, group ${group}`}`;
}
