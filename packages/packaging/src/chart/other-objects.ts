import type { KubernetesObject } from 'chancery';
import {
  COMPONENT_NAMES,
  type ComponentName,
  type OperatorModel,
  objectFileNames,
} from 'chancery/internal';
import { formatYaml } from 'chancery/low-level';
import { componentCondition } from './conditions.ts';
import { escaped, include } from './expressions.ts';
import { printTree } from './print.ts';
import {
  changeAt,
  type Field,
  field,
  lines,
  type More,
  mapping,
  type Tree,
  treeOf,
  withFields,
} from './tree.ts';

/** A file of a chart without the comment at its beginning. */
export interface TemplateBody {
  readonly path: string;
  readonly text: string;
}

/**
 * An object with the labels of the chart instead of the labels that it had.
 *
 * @param more - labels in addition to the labels of the chart.
 */
export function labelled(chart: string, object: object, ...more: readonly (Field | More)[]): Tree {
  const own = include(chart, 'labels');
  const labels = more.length === 0 ? lines(own) : mapping({ more: own, when: [] }, ...more);
  return changeAt(treeOf(object), ['metadata'], (metadata) =>
    withFields(metadata, field('labels', labels)),
  );
}

/** Returns the labels that a value of the chart contains. */
function labelsOf(value: string): More {
  return { more: `toYaml ${value}`, when: [value] };
}

/** The ServiceAccount, with labels and annotations from values. */
export function serviceAccountText(chart: string, { serviceAccount }: OperatorModel): string {
  const values = '$.Values.serviceAccount';
  const tree = changeAt(
    labelled(chart, serviceAccount, labelsOf(`${values}.labels`)),
    ['metadata'],
    (metadata) =>
      withFields(
        metadata,
        field('annotations', lines(`toYaml ${values}.annotations`), `${values}.annotations`),
      ),
  );
  return printTree(tree, { chart });
}

/** The objects that components add, each in its own file. */
export function componentFiles(
  chart: string,
  { components }: OperatorModel,
  used: readonly ComponentName[],
): readonly TemplateBody[] {
  return COMPONENT_NAMES.filter((name) => used.includes(name)).flatMap((name) =>
    components[name].objects.map((object) => ({
      path: `templates/${fileName(object)}.yaml`,
      text: `{{- if ${componentCondition(chart, name)} }}\n${printTree(componentTree(chart, object), { chart })}{{- end }}\n`,
    })),
  );
}

/** The labels by which a Prometheus selects objects. */
const SELECTED = labelsOf('$.Values.prometheus.labels');

/** The alerts and the dashboard. Each is rendered only if its value turns it on. */
export function monitoringFiles(
  chart: string,
  { monitoring: { dashboard, rules } }: OperatorModel,
): readonly TemplateBody[] {
  const found = Object.entries(dashboard.metadata.labels ?? {});
  const trees = {
    rules: labelled(chart, rules, SELECTED),
    dashboard: labelled(
      chart,
      dashboard,
      ...found.map(([key, value]) => field(key, treeOf(value))),
    ),
  };
  return Object.entries(trees).map(([name, tree]) => ({
    path: `templates/${name}.yaml`,
    text: `{{- if $.Values.prometheus.${name} }}\n${printTree(tree, { chart })}{{- end }}\n`,
  }));
}

/** The objects that were given when the chart was generated, unchanged. */
export function givenFiles({ options }: OperatorModel): readonly TemplateBody[] {
  return objectFileNames(options.objects ?? []).map(([name, object]) => ({
    path: `templates/resources/${name}.yaml`,
    text: escaped(formatYaml(object)),
  }));
}

function fileName({ kind }: KubernetesObject): string {
  return kind.replace(/(?<=[a-z])[A-Z]/g, '-$&').toLowerCase();
}

/**
 * An object of a component. In a NetworkPolicy, the address of the API server comes from a value.
 */
function componentTree(chart: string, object: KubernetesObject): Tree {
  const tree = labelled(chart, object, ...(object.kind === 'PodMonitor' ? [SELECTED] : []));
  if (object.kind !== 'NetworkPolicy') return tree;
  return changeAt(tree, ['spec', 'egress'], (egress) => {
    if (egress.is !== 'sequence') throw new Error('the NetworkPolicy has no list of ways out');
    const items = egress.items.map((item) =>
      'tree' in item
        ? { ...item, tree: withFields(item.tree, field('to', lines(include(chart, 'apiServer')))) }
        : item,
    );
    return { is: 'sequence', items };
  });
}
