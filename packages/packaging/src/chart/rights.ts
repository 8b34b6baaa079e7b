import type { RbacRole, RbacRoleBinding } from 'chancery/low-level';
import { include } from './expressions.ts';
import { labelled } from './other-objects.ts';
import { NAME, NAMESPACE, type OpenModel, WATCHED } from './placeholders.ts';
import { printTree } from './print.ts';
import { openScopes } from './scopes.ts';

type Right = RbacRole | RbacRoleBinding;

/**
 * The roles and bindings of a chart. The rights of each scope are rendered under the condition of
 * the scope. The rights for a list of namespaces are rendered once per namespace. No value becomes
 * part of a rule.
 */
export function rightsText(chart: string, open: OpenModel): string {
  const always = open.model.electionRights.map((right) => printed(chart, right));
  const scoped = openScopes(chart, open).map(({ name, model, when: [condition] }) => {
    const text =
      name === 'listed' ? listedText(chart, model.rights) : textOf(chart, model.rights.map(apart));
    return condition === undefined ? text : `{{- if ${condition} }}\n${text}{{- end }}\n`;
  });
  return [...always, ...scoped].join('');
}

function textOf(chart: string, rights: readonly Right[]): string {
  return rights.map((right) => printed(chart, right)).join('');
}

/**
 * Renames a role or binding that is in a namespace other than the release's. If a release is also
 * installed in that namespace, such as `default`, two objects would otherwise have the same name.
 */
function apart(right: Right): Right {
  const { namespace } = right.metadata;
  return namespace === undefined || namespace === NAMESPACE ? right : renamed(right, '');
}

/**
 * The roles and bindings for a list of namespaces. Two releases may watch the same namespaces, so
 * names outside of the release's namespace contain the name of the release.
 */
function listedText(chart: string, rights: readonly Right[]): string {
  const isWatched = ({ metadata }: Right): boolean => metadata.namespace === WATCHED;
  const others = rights.filter((right) => !isWatched(right));
  const watched = rights.filter(isWatched).map((right) => printed(chart, renamed(right, '')));
  const ranged =
    watched.length === 0
      ? ''
      : `{{- range $watched := ${include(chart, 'watched')} | splitList "," }}\n${watched.join('')}{{- end }}\n`;
  return (
    textOf(
      chart,
      others.map((right) => renamed(right, '.declared')),
    ) + ranged
  );
}

/**
 * Renames a role or binding. The new name contains a dot. No name of a release or a namespace
 * contains a dot, so two releases never share such a name.
 */
function renamed(right: Right, ending: string): Right {
  const name = `${NAME}.${NAMESPACE}${ending}`;
  const named = { ...right, metadata: { ...right.metadata, name } };
  return 'roleRef' in named ? { ...named, roleRef: { ...named.roleRef, name } } : named;
}

function printed(chart: string, right: Right): string {
  return `---\n${printTree(labelled(chart, right), { chart, watched: '$watched' })}`;
}
