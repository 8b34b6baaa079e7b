import { formatYaml } from 'chancery/low-level';
import type { Setting } from './setting.ts';

/** The comments before groups of values in `values.yaml`, keyed by the path of the group. */
const GROUPS: Readonly<Record<string, string>> = {
  crd: 'The CustomResourceDefinitions of the operator.',
  manager: 'The operator and its Pods.',
  'manager.image': 'The image of the operator.',
  'manager.pod': 'What the Pods alone have.',
  networkPolicy: 'A NetworkPolicy for the Pods.',
  prometheus: 'Metrics for Prometheus.',
  proxy:
    'The ambassador, which holds the credentials. Its arguments follow from the code of the operator.',
  'proxy.image': 'The image of the ambassador.',
  rbac: 'Rights. Their rules follow from the code of the operator.',
  serviceAccount: 'The identity of the ambassador. Its name is that of all objects.',
  watch: 'What the operator watches.',
};

/** The text of `values.yaml`: every value with its comment and its default. */
export function valuesText(settings: readonly Setting[]): string {
  return groupLines(settings, '', 0).join('\n');
}

function groupLines(settings: readonly Setting[], prefix: string, indent: number): string[] {
  const space = ' '.repeat(indent);
  const byKey = Map.groupBy(settings, ({ path }) => path.slice(prefix.length).split('.')[0] ?? '');
  return [...byKey].flatMap(([key, members]) => {
    const path = `${prefix}${key}`;
    const [only] = members;
    if (members.length === 1 && only?.path === path) return settingLines(only, key, space);
    const comment = GROUPS[path];
    return [
      ...(comment === undefined ? [] : [`${space}# ${comment}`]),
      `${space}${key}:`,
      ...groupLines(members, `${path}.`, indent + 2),
    ];
  });
}

function settingLines({ comment, standard }: Setting, key: string, space: string): string[] {
  const text = formatYaml({ [key]: standard }).trimEnd();
  return [`# ${comment}`, ...text.split('\n')].map((line) => `${space}${line}`);
}
