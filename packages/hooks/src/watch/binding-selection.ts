import type { Resource, Source } from 'chancery';
import type { KubernetesBinding } from '../hook.ts';

/** What one list and watch of a binding selects. */
export interface Selection {
  readonly namespace: Source['namespace'];
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/**
 * The lists and watches of a binding: one per namespace and name. A binding with a label selector
 * for namespaces watches the configured namespaces, and keeps only objects in namespaces that
 * match.
 */
export function selectionsOf(
  { names, namespaces, labelSelector, fieldSelector }: KubernetesBinding,
  { namespaced }: Pick<Resource, 'namespaced'>,
): readonly Selection[] {
  const places: readonly Source['namespace'][] = (namespaced ? namespaces?.names : undefined)?.map(
    (name) => ({ name }),
  ) ?? ['configured'];
  const fields: readonly (string | undefined)[] = names?.map((name) =>
    joined(`metadata.name=${name}`, fieldSelector),
  ) ?? [fieldSelector];
  return places.flatMap((namespace) =>
    fields.map((field) => ({
      namespace,
      ...(labelSelector !== undefined && { labelSelector }),
      ...(field !== undefined && { fieldSelector: field }),
    })),
  );
}

function joined(...selectors: readonly (string | undefined)[]): string {
  return selectors.filter((selector) => selector !== undefined).join(',');
}
