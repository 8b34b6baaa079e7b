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
    'has alternatives of which one is anchored',
    '^/api/v1/pods|secrets$',
    'only one side of it is anchored',
  ],
  ['matches everything', '^/.*$', 'has .* or .+'],
  ['takes any text for a name', '^/api/v1/nodes/.+$', 'has .* or .+'],
  ['takes [^/]+ for a name', '^/api/v1/nodes/[^/]+$', 'a negated class'],
  ['has a bare dot', '^/apis/events.k8s.io/v1$', 'a bare dot'],
  ['looks ahead', '^/api/v1/(?!secrets)$', 'RE2 has no look-around'],
  ['ignores case', '^/(?i)api/v1$', 'RE2 has no look-around'],
  ['has a class of Perl', '^/api/v1/nodes/\\S+$', 'has a backslash'],
  ['has a class with a slash', '^/api/v1/[a-z/]+$', 'more than the characters of names'],
  ['has a class with an escape', '^/api/v1/[\\w]+$', 'more than the characters of names'],
  ['lets dots stand for a name', '^/api/v1/nodes/[a-z.]+$', 'a segment of dots'],
  ['is never closed', '^/api/v1/(nodes$', 'never closed'],
  ['is closed too often', '^/api/v1/nodes)$', 'a ")" too many'],
  ['repeats a repetition', '^/api/v1/nodes**$', 'repeats a repetition'],
  ['ends in its middle', '^/api/v1$/nodes$', 'can match nothing after it'],
];

export const PATH_FILTER: readonly Canary[] = [
  {
    rule: 'accept-paths-given',
    does: 'opens nothing',
    at: `${PROXY}.args`,
    broken: () => plain().set('proxy.args', []),
    also: ['right-without-path', 'proxy-probes'],
  },
  {
    rule: 'accept-paths-given',
    does: 'opens an empty list',
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
    does: 'has another variable in the arguments',
    at: `${PROXY}.args[0]`,
    broken: () => plain().set('proxy.args.0', `${plain().get('proxy.args.0')},^/api/$(WHERE)$`),
    also: ['accept-paths-exact'],
  },
  {
    rule: 'argument-variables',
    does: 'takes the namespace from elsewhere',
    at: `${PROXY}.env[POD_NAMESPACE]`,
    broken: () => plain().set('proxy.env.0', { name: 'POD_NAMESPACE', value: '.*' }),
  },
  {
    rule: 'argument-variables',
    does: 'has no namespace',
    at: `${PROXY}.env[POD_NAMESPACE]`,
    broken: () => plain().set('proxy.env.0.name', 'MY_NAMESPACE'),
  },
  {
    rule: 'reject-paths',
    does: 'no longer rejects tokens',
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
    does: 'rejects no path',
    at: `${PROXY}.args[1]`,
    broken: () => plain().set('proxy.args.1', '--reject-paths='),
  },
  {
    rule: 'reject-paths',
    does: 'has an expression that kubectl cannot read',
    at: `${PROXY}.args[1]`,
    broken: () => plain().set('proxy.args.1', `${plain().get('proxy.args.1')},(`),
  },
  {
    rule: 'reject-paths',
    does: 'rejects everything by a comma at the end',
    at: `${PROXY}.args[1]`,
    broken: () => plain().set('proxy.args.1', `${plain().get('proxy.args.1')},`),
    also: ['right-without-path'],
  },
  {
    rule: 'reject-methods',
    does: 'lets TRACE through',
    at: `${PROXY}.args[2]`,
    broken: () => plain().set('proxy.args.2', '--reject-methods=^(CONNECT|HEAD|OPTIONS)$'),
  },
  {
    rule: 'reject-methods',
    does: 'rejects every method with a T in it, unanchored',
    at: `${PROXY}.args[2]`,
    broken: () => plain().set('proxy.args.2', `${plain().get('proxy.args.2')},X`),
  },
  {
    rule: 'right-without-path',
    does: 'grants what the filter does not open',
    at: 'Role/op rules',
    broken: () => granting({ resources: ['pods'], verbs: ['get'] }),
  },
  {
    rule: 'right-without-path',
    does: 'grants a verb whose method is rejected',
    at: 'Role/op rules',
    broken: () => granting({ resources: ['configmaps'], verbs: ['delete'] }),
  },
  {
    rule: 'right-without-path',
    does: 'grants every Lease where the filter opens one',
    at: 'Role/op rules',
    broken: () => plain().remove('Role.rules.4.resourceNames'),
  },
  {
    rule: 'right-without-path',
    does: 'grants in the whole cluster what is open in one namespace',
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
    does: 'opens what no role grants',
    at: ACCEPT,
    broken: () => plain().replace('proxy.args.0', '/configmaps(', '/(configmaps|secrets)('),
  },
  {
    rule: 'path-without-right',
    does: 'opens every namespace for rights in one',
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
    does: 'opens every Lease for a right to one',
    at: ACCEPT,
    says: 'opens /apis/coordination.k8s.io/v1/namespaces/demo/leases/any-other-name:',
    broken: () =>
      plain().replace('proxy.args.0', 'leases(/op)?', 'leases(/[a-z0-9]([-a-z0-9]*[a-z0-9])?)?'),
  },
];
