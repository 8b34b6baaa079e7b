/** The markers in Go files, from which `make manifests` makes the role. */
import { expect, test } from 'vitest';
import { parseYaml } from '../../../../operator/core/yaml.ts';
import { roleState } from '../../src/kubebuilder/rbac-markers.ts';

const ROLE = `---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: manager-role # a comment
rules:
- apiGroups:
  - shop.example.com
  resources:
  - carts
  verbs:
  - get
  - list
  - watch
- apiGroups:
  - apps
  resources:
  - '*'
  verbs:
  - '*'
`;

/** The state of a role, with one controller in Go. */
function stateOf(markers: readonly string[], role = ROLE): ReturnType<typeof roleState> {
  const go = ['package controller', '', ...markers, 'func main() {}', ''].join('\n');
  return roleState(
    new Map([
      ['config/rbac/role.yaml', role],
      ['internal/controller/cart_controller.go', go],
    ]),
  );
}

test('missing rules are appended to the role, and the rest of the role stays unchanged', () => {
  const { text = '', missing } = stateOf([
    '// +kubebuilder:rbac:groups=shop.example.com,resources=carts;orders,verbs=watch;get;list',
    '//+kubebuilder:rbac:groups="",resources=pods,verbs=get',
    '\t// +kubebuilder:rbac:groups=core,resources=secrets,resourceNames=tls;ca,verbs=get',
    '// +kubebuilder:rbac:groups=apps,resources=deployments;deployments/scale,verbs=patch',
    '// +kubebuilder:rbac:urls=/healthz;/version,verbs=get',
  ]);

  expect(missing).toHaveLength(4);
  expect(text.startsWith(ROLE)).toBe(true);
  expect((parseYaml(text) as { rules: unknown[] }).rules.slice(2)).toEqual([
    {
      apiGroups: ['shop.example.com'],
      resources: ['carts', 'orders'],
      verbs: ['get', 'list', 'watch'],
    },
    { apiGroups: [''], resources: ['pods'], verbs: ['get'] },
    { apiGroups: [''], resources: ['secrets'], resourceNames: ['tls', 'ca'], verbs: ['get'] },
    { nonResourceURLs: ['/healthz', '/version'], verbs: ['get'] },
  ]);
});

test('a role that has all rules is not changed, and a second run finds no missing rule', () => {
  const marker = '// +kubebuilder:rbac:groups=shop.example.com,resources=orders,verbs=get;delete';
  const { text = '' } = stateOf([marker]);

  expect(stateOf([marker], text)).toEqual({ text: undefined, missing: [] });
  expect(stateOf([])).toEqual({ text: undefined, missing: [] });
});

test('a rule for named objects does not replace a rule for all objects', () => {
  const named = ROLE.replace('  verbs:', '  resourceNames: [one]\n  verbs:');

  const all = stateOf(
    ['// +kubebuilder:rbac:groups=shop.example.com,resources=carts,verbs=get'],
    named,
  );
  const one = stateOf(
    ['// +kubebuilder:rbac:groups=shop.example.com,resources=carts,resourceNames=one,verbs=get'],
    named,
  );

  expect(all.missing).toHaveLength(1);
  expect(one.missing).toEqual([]);
});

test.each([
  '// +kubebuilder:rbac:groups=x.dev,resources=a,verbs=get,namespace=system',
  '// +kubebuilder:rbac:groups=x.dev,resources=a',
  '// +kubebuilder:rbac:groups=x.dev,verbs=get',
  '// see +kubebuilder:rbac:groups=x.dev,resources=a,verbs=get',
  '// +kubebuilder:rbac',
  'text := "+kubebuilder:rbac:groups=x.dev,resources=a,verbs=get"',
])('the marker %s adds no rule to the ClusterRole', (line) => {
  expect(stateOf([line])).toEqual({ text: undefined, missing: [] });
});

test.each([
  ['several documents', `${ROLE}---\nkind: Role\n`],
  ['a Role', ROLE.replace('ClusterRole', 'Role')],
])('a role file with %s is not changed, because controller-gen writes it', (_form, role) => {
  const { text } = stateOf(['// +kubebuilder:rbac:groups=x.dev,resources=a,verbs=get'], role);

  expect(text).toBe(undefined);
});

test.each([
  ['no rules', ROLE.replace(/rules:.*$/s, '')],
  ['an empty list', ROLE.replace(/rules:.*$/s, 'rules: []\n')],
  ['rules in the middle', ROLE.replace(/(metadata:\n[^\n]*\n)(.*)$/s, '$2$1')],
])('a role with %s gets the missing rule, too', (_form, role) => {
  const { text = '' } = stateOf(['// +kubebuilder:rbac:groups=x.dev,resources=a,verbs=get'], role);

  const { rules, metadata } = parseYaml(text) as { rules: unknown[]; metadata: unknown };
  expect(rules.at(-1)).toEqual({ apiGroups: ['x.dev'], resources: ['a'], verbs: ['get'] });
  expect(metadata).toEqual({ name: 'manager-role' });
  expect(text).toContain('# a comment');
});
