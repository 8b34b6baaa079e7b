import type { KubernetesObject } from 'chancery';
import { certificatesOperator } from 'chancery/internal';
import { include } from './expressions.ts';
import { labelled, type TemplateBody } from './other-objects.ts';
import { type OpenModel, WATCHED } from './placeholders.ts';
import { printTree } from './print.ts';
import { openScopes } from './scopes.ts';
import { lines, type Tree } from './tree.ts';

/**
 * The gate, the certificates and the configurations of webhooks. Empty if the operator has no
 * webhooks.
 */
export function webhookFiles(chart: string, open: OpenModel): readonly TemplateBody[] {
  const { webhooks } = open.model;
  if (webhooks === undefined) return [];
  const certificates = [...webhooks.certificates.objects, ...certificatesOperator(open.model)];
  const files = [
    { path: 'templates/gate.yaml', text: textOf(chart, webhooks.objects) },
    { path: 'templates/certificates.yaml', text: textOf(chart, certificates) },
    { path: 'templates/webhooks.yaml', text: configurationsText(chart, open) },
  ];
  return files.filter(({ text }) => text !== '');
}

/** The webhook configurations of each scope, each under the condition of its scope. */
function configurationsText(chart: string, open: OpenModel): string {
  return openScopes(chart, open)
    .map(({ model, when: [condition] }) => {
      const text = textOf(chart, model.webhooks);
      return condition === undefined || text === ''
        ? text
        : `{{- if ${condition} }}\n${text}{{- end }}\n`;
    })
    .join('');
}

function textOf(chart: string, objects: readonly KubernetesObject[]): string {
  return objects
    .map((object) => `---\n${printTree(withWatched(chart, labelled(chart, object)), { chart })}`)
    .join('');
}

/**
 * Replaces a list that contains only the placeholder with the list of watched namespaces. In the
 * filter, the placeholder becomes alternatives of a pattern instead.
 */
function withWatched(chart: string, tree: Tree): Tree {
  switch (tree.is) {
    case 'mapping':
      return {
        ...tree,
        fields: tree.fields.map((each) =>
          'tree' in each ? { ...each, tree: withWatched(chart, each.tree) } : each,
        ),
      };
    case 'sequence': {
      const [only] = tree.items;
      const isWatched =
        only !== undefined &&
        'tree' in only &&
        only.tree.is === 'constant' &&
        only.tree.value === WATCHED;
      if (isWatched) return lines(`splitList "," (${include(chart, 'watched')}) | toYaml`);
      return {
        ...tree,
        items: tree.items.map((each) =>
          'tree' in each ? { ...each, tree: withWatched(chart, each.tree) } : each,
        ),
      };
    }
    default:
      return tree;
  }
}
