/** The pause annotation of a Deployment → how long it is paused after a restart. */
import { type AnnotationNames, annotationOf, type Problem } from './annotations.ts';
import type { WorkloadView } from './decide.ts';
import { parseGoDuration } from './go-words.ts';

/** Undefined: no pause. A value that is no duration is a problem, and pauses nothing. */
export type PausePeriod = { readonly periodMs: number } | { readonly problem: Problem } | undefined;

/**
 * The pause period of a workload: its metadata has it, or its Pod template while no annotation of the metadata
 * asks for reloads. The original reads the metadata only.
 */
export function pausePeriodOf(
  workload: Pick<WorkloadView, 'annotations' | 'templateAnnotations'>,
  names: AnnotationNames,
): PausePeriod {
  const { annotations, templateAnnotations } = workload;
  const asking = [
    names.auto,
    names.search,
    ...Object.values(names.typedAuto),
    ...Object.values(names.reload),
  ];
  const isOnMetadata = asking.some((key) => annotationOf(annotations, key) !== undefined);
  const text =
    annotationOf(annotations, names.pausePeriod) ??
    (isOnMetadata ? undefined : annotationOf(templateAnnotations, names.pausePeriod));
  if (text === undefined || text === '') return undefined;
  const result = parseGoDuration(text);
  if ('ms' in result) return { periodMs: result.ms };
  const message = `${result.problem}, not ${JSON.stringify(text.slice(0, 80))}`;
  return { problem: { annotation: names.pausePeriod, message } };
}
