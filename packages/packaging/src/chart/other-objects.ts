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
import { changeAt, field, lines, type Tree, treeOf, withFields } from './tree.ts';

/** A file of a chart without the comment at its beginning. */
export interface TemplateBody {
  readonly path: string;
  readonly text: string;
}

/** An object with the labels of the chart in place of its own. */
export function labelled(chart: string, object: object): Tree {
  return changeAt(treeOf(object), ['metadata'], (metadata) =>
    withFields(metadata, field('labels', lines(include(chart, 'labels')))),
  );
}

/** The ServiceAccount, with labels and annotations of values. */
export function serviceAccountText(chart: string, { serviceAccount }: OperatorModel): string {
  const values = '$.Values.serviceAccount';
  const tree = changeAt(labelled(chart, serviceAccount), ['metadata'], (metadata) =>
    withFields(
      metadata,
      field('labels', {
        is: 'mapping',
        fields: [
          { more: include(chart, 'labels'), when: [] },
          { more: `toYaml ${values}.labels`, when: [`${values}.labels`] },
        ],
      }),
      field('annotations', lines(`toYaml ${values}.annotations`), `${values}.annotations`),
    ),
  );
  return printTree(tree, { chart });
}

/** The objects that components add, each in a file of its own. */
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

/** The objects that were named when the chart was generated, as they are. */
export function givenFiles({ options }: OperatorModel): readonly TemplateBody[] {
  return objectFileNames(options.objects ?? []).map(([name, object]) => ({
    path: `templates/resources/${name}.yaml`,
    text: escaped(formatYaml(object)),
  }));
}

function fileName({ kind }: KubernetesObject): string {
  return kind.replace(/(?<=[a-z])[A-Z]/g, '-$&').toLowerCase();
}

/** Where the API server is, only a value can say. */
function componentTree(chart: string, object: KubernetesObject): Tree {
  const tree = labelled(chart, object);
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
