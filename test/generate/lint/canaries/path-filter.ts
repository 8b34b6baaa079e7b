/** Overlays whose filter of paths and methods is wrong, or does not match the rights. */
import { plain } from '../good.ts';
import { type Canary, granting, PROXY } from './canary.ts';

const ACCEPT = `${PROXY}.args[0]`;

/** Elements that are wrong in a list of paths; each stands at the end of a good one. */
const BAD_PATHS: readonly (readonly [does: string, element: string, says: string])[] = [
  ['ends with a comma', '', 'an empty expression matches every path'],
  ['has a brace', '^/api/v1/[a-z]{3}$', 'kubectl splits the list at the comma of {m,n}'],
  ['is not anchored at its beginning', '/api/v1/pods$', 'looks for it anywhere'],
  ['is not anchored at its end', '^/api/v1/pods', 'looks for it anywhere'],
  [
    'has alternatives of which only one is anchored',
    '^/api/v1/pods|secrets$',
    'only one side of it is anchored',
  ],
  ['matches everything', '^/.*$', 'has .* or .+'],
  ['matches any text as a name', '^/api/v1/nodes/.+$', 'has .* or .+'],
  ['matches a name by [^/]+', '^/api/v1/nodes/[^/]+$', 'a negated class'],
  ['has an unescaped dot', '^/apis/events.k8s.io/v1$', 'a bare dot'],
  ['has a lookahead', '^/api/v1/(?!secrets)$', 'RE2 has no look-around'],
  ['ignores case', '^/(?i)api/v1$', 'RE2 has no look-around'],
  ['has a Perl character class', '^/api/v1/nodes/\\S+$', 'has a backslash'],
  ['has a character class with a slash', '^/api/v1/[a-z/]+$', 'more than the characters of names'],
  ['has a character class with an escape', '^/api/v1/[\\w]+$', 'more than the characters of names'],
  ['matches dots as a name', '^/api/v1/nodes/[a-z.]+$', 'a segment of dots'],
  ['has an unclosed parenthesis', '^/api/v1/(nodes$', 'never closed'],
  ['has one closing parenthesis too many', '^/api/v1/nodes)$', 'a ")" too many'],
  ['has a repeated repetition', '^/api/v1/nodes**$', 'repeats a repetition'],
  ['has $ in the middle', '^/api/v1$/nodes$', 'can match nothing after it'],
];

export const PATH_FILTER: readonly Canary[] = [
  {
    rule: 'accept-paths-given',
    does: 'has no --accept-paths',
    at: `${PROXY}.args`,
    broken: () => plain().set('proxy.args', []),
    also: ['right-without-path', 'proxy-probes'],
  },
  {
    rule: 'accept-paths-given',
    does: 'has an empty --accept-paths',
    at: `${PROXY}.args[3]`,
    broken: () => plain().push('proxy.args', '--accept-paths='),
    also: ['right-without-path', 'proxy-probes'],
  },
  ...BAD_PATHS.map(([does, element, says]) => ({
    says,
    rule: 'accept-paths-exact',
    does: `has a path that ${does} [security 13]`,
    at: ACCEPT,
    broken: () => plain().set('proxy.args.0', `${plain().get('proxy.args.0')},${element}`),
  })),
  {
    rule: 'argument-variables',
    does: 'uses another variable than POD_NAMESPACE in the arguments',
    at: `${PROXY}.args[0]`,
    broken: () => plain().set('proxy.args.0', `${plain().get('proxy.args.0')},^/api/$(WHERE)$`),
    also: ['accept-paths-exact'],
  },
  {
    rule: 'argument-variables',
    does: 'sets POD_NAMESPACE to a constant value',
    at: `${PROXY}.env[POD_NAMESPACE]`,
    broken: () => plain().set('proxy.env.0', { name: 'POD_NAMESPACE', value: '.*' }),
  },
  {
    rule: 'argument-variables',
    does: 'does not set POD_NAMESPACE',
    at: `${PROXY}.env[POD_NAMESPACE]`,
    broken: () => plain().set('proxy.env.0.name', 'MY_NAMESPACE'),
  },
  {
    rule: 'reject-paths',
    does: 'does not reject the path of tokens',
    at: `${PROXY}.args[1]`,
    broken: () =>
      plain().replace(
        'proxy.args.1',
        '^/api/v1/namespaces/[^/]+/serviceaccounts/[^/]+/token$,',
        '',
      ),
  },
  {
    rule: 'reject-paths',
    does: 'has an empty --reject-paths',
    at: `${PROXY}.args[1]`,
    broken: () => plain().set('proxy.args.1', '--reject-paths='),
  },
  {
    rule: 'reject-paths',
    does: 'rejects paths by an expression that kubectl cannot read',
    at: `${PROXY}.args[1]`,
    broken: () => plain().set('proxy.args.1', `${plain().get('proxy.args.1')},(`),
  },
  {
    rule: 'reject-paths',
    does: 'rejects every path by a comma at the end',
    at: `${PROXY}.args[1]`,
    broken: () => plain().set('proxy.args.1', `${plain().get('proxy.args.1')},`),
    also: ['right-without-path'],
  },
  {
    rule: 'reject-methods',
    does: 'does not reject TRACE',
    at: `${PROXY}.args[2]`,
    broken: () => plain().set('proxy.args.2', '--reject-methods=^(CONNECT|HEAD|OPTIONS)$'),
  },
  {
    rule: 'reject-methods',
    does: 'rejects methods by an expression that is not anchored',
    at: `${PROXY}.args[2]`,
    broken: () => plain().set('proxy.args.2', `${plain().get('proxy.args.2')},X`),
  },
  {
    rule: 'right-without-path',
    does: 'grants a right whose path the filter does not open',
    at: 'Role/op rules',
    broken: () => granting({ resources: ['pods'], verbs: ['get'] }),
  },
  {
    rule: 'right-without-path',
    does: 'grants a verb whose method the filter rejects',
    at: 'Role/op rules',
    broken: () => granting({ resources: ['configmaps'], verbs: ['delete'] }),
  },
  {
    rule: 'right-without-path',
    does: 'grants every Lease although the filter opens only one',
    at: 'Role/op rules',
    broken: () => plain().remove('Role.rules.4.resourceNames'),
  },
  {
    rule: 'right-without-path',
    does: 'grants in the whole cluster a right whose path is open in one namespace',
    at: 'ClusterRole/op rules',
    broken: () =>
      plain()
        .add({
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'ClusterRole',
          metadata: { name: 'op' },
          rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }],
        })
        .add({
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'ClusterRoleBinding',
          metadata: { name: 'op' },
          roleRef: { kind: 'ClusterRole', name: 'op' },
          subjects: [{ kind: 'ServiceAccount', name: 'op', namespace: 'demo' }],
        }),
  },
  {
    rule: 'path-without-right',
    does: 'opens a path that no role grants',
    at: ACCEPT,
    broken: () => plain().replace('proxy.args.0', '/configmaps(', '/(configmaps|secrets)('),
  },
  {
    rule: 'path-without-right',
    does: 'opens every namespace although the rights are for one',
    at: ACCEPT,
    says: 'opens /api/v1/namespaces/any-other-namespace/configmaps:',
    broken: () =>
      plain().set(
        'proxy.args.0',
        `${plain().get('proxy.args.0')},^/api/v1/namespaces/[a-z0-9]([-a-z0-9]*[a-z0-9])?/configmaps$`,
      ),
  },
  {
    rule: 'path-without-right',
    does: 'opens every Lease although the right is for one',
    at: ACCEPT,
    says: 'opens /apis/coordination.k8s.io/v1/namespaces/demo/leases/any-other-name:',
    broken: () =>
      plain().replace('proxy.args.0', 'leases(/op)?', 'leases(/[a-z0-9]([-a-z0-9]*[a-z0-9])?)?'),
  },
];
