import { unifiedDiff } from '../core/unified-diff.ts';
import { formatYaml } from '../core/yaml.ts';
import type { KubernetesObject } from '../model/object.ts';
import { shownPair } from './shown-object.ts';

/** A longer line is cut: a certificate or a script in one line says nothing to people. */
const MAX_LINE_LENGTH = 500;

/**
 * What a write does to an object: the hunks of a unified diff of YAML, line by line; none when it does
 * nothing. What each write changes (resourceVersion, managedFields, …) is left out, and of Secrets the
 * values are, see `shownPair`.
 *
 * @param before - undefined when the object is created.
 * @param after - undefined when it goes.
 */
export function objectDiff(
  before: KubernetesObject | undefined,
  after: KubernetesObject | undefined,
): readonly string[] {
  const shown = shownPair(before, after);
  return unifiedDiff(yamlOf(shown.before), yamlOf(shown.after)).map(cut);
}

function yamlOf(object: object | undefined): string {
  return object === undefined ? '' : formatYaml(object);
}

function cut(line: string): string {
  if (line.length <= MAX_LINE_LENGTH) return line;
  return `${line.slice(0, MAX_LINE_LENGTH)}… (${line.length} characters)`;
}
