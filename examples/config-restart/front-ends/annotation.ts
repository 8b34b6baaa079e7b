import { messageOf, parseSelector } from 'chancery';
import type { ConfigMap } from 'chancery/kubernetes';
import { demandOfText, MAX_SELECTOR_CHARACTERS } from '../spec.ts';
import { readWatcher, type Watcher } from '../watcher.ts';

/** The front end's name in the state. */
export const ANNOTATION_FRONT_END = 'annotation';

/** The book prints the first, its example repository the second. */
const PREFIXES = ['k8spatterns.io/', 'k8spatterns.com/'] as const;

/**
 * The watchers in the annotations of `configMap`: at most one for each prefix. Two that say the same
 * are one.
 */
export function annotationWatchers(configMap: ConfigMap): readonly Watcher[] {
  const annotations = configMap.metadata.annotations ?? {};
  const selectors = new Set<string>();
  const watchers: Watcher[] = [];
  for (const prefix of PREFIXES) {
    const selector = annotations[`${prefix}podDeleteSelector`];
    if (selector === undefined || selectors.has(canonical(selector))) continue;
    selectors.add(canonical(selector));
    const declared = {
      frontEnd: ANNOTATION_FRONT_END,
      declaredBy: configMap,
      configMap: configMap.metadata.name,
    };
    watchers.push(
      readWatcher(declared, () => demandOfText(selector, optionsOf(annotations, prefix))),
    );
  }
  return watchers;
}

/** Options may stand under either prefix; the one beside the selector wins. */
function optionsOf(
  annotations: Readonly<Record<string, string>>,
  prefix: (typeof PREFIXES)[number],
): Readonly<Record<string, unknown>> {
  const find = (name: string): string | undefined =>
    [prefix, ...PREFIXES].map((each) => annotations[each + name]).find((value) => value);
  return {
    strategy: find('restartStrategy'),
    debounceSeconds: find('debounceSeconds'),
    restartOn: find('restartOn'),
  };
}

/** A text that is equal for selectors which differ in order or spaces only. */
function canonical(text: string): string {
  if (text.length > MAX_SELECTOR_CHARACTERS) return text;
  try {
    const requirements = parseSelector(text).map(({ key, operator, values }) =>
      JSON.stringify([key, operator, values.toSorted()]),
    );
    return requirements.sort().join();
  } catch (error) {
    return `${messageOf(error)}: ${text}`;
  }
}
