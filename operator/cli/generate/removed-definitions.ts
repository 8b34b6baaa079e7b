import { parseYamlDocuments } from '../../core/yaml.ts';
import type { FileState } from './written-files.ts';

/**
 * Messages about definitions that are no longer in the manifests, one line each. Removing the file
 * deletes nothing in a cluster. Deleting the definition in the cluster deletes every object of its
 * kind, so a person must decide.
 */
export function removedDefinitions(states: readonly FileState[]): readonly string[] {
  const removed = states.filter(({ state }) => state === 'surplus');
  const kept = states.flatMap(({ after }) => definitionsIn(after));
  const names = removed.flatMap(({ before }) => definitionsIn(before));
  return [...new Set(names)]
    .filter((name) => !kept.includes(name))
    .map(
      (name) =>
        `the definition ${name} is no longer generated; in clusters it stays, with its objects, and nothing reconciles ` +
        `them: look for them with kubectl get ${name} -A, and delete it with kubectl delete crd ${name} when they may be ` +
        'deleted, too',
    );
}

/**
 * The names of definitions in a text. Empty for a text that is not YAML, because the file may have
 * been edited.
 */
function definitionsIn(text: string): readonly string[] {
  if (!text.includes('kind: CustomResourceDefinition')) return [];
  try {
    return parseYamlDocuments(text).flatMap((value) => {
      const { kind, metadata } = value as { kind?: unknown; metadata?: { name?: unknown } };
      const name = metadata?.name;
      return kind === 'CustomResourceDefinition' && typeof name === 'string' ? [name] : [];
    });
  } catch {
    return [];
  }
}
