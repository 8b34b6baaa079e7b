import type { KubernetesObject } from 'chancery';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Access } from '../../../src/apiserver/auth/access.ts';
import { rbacAuthorization } from '../../../src/apiserver/auth/authorization.ts';
import { callerOf } from '../../../src/apiserver/auth/user.ts';
import { Storage } from '../../../src/apiserver/storage/storage.ts';
import { binding, type Rule, role } from './rbac-server.ts';

const some = (...values: string[]) =>
  fc.subarray(values, { minLength: 1, maxLength: Math.min(2, values.length) });

const resourceRule = fc.record({
  verbs: some('get', 'list', 'create', 'deletecollection', '*'),
  apiGroups: some('', 'apps', '*'),
  resources: some('pods', 'pods/log', 'pods/scale', '*/scale', '*'),
  resourceNames: fc.subarray(['a', 'b'], { maxLength: 2 }),
});
const pathRule = fc.record({
  verbs: some('get', 'post', '*'),
  nonResourceURLs: some('/a', '/a/*', '/a*', '*'),
});
const granted = fc.record({
  rule: fc.oneof(resourceRule, pathRule),
  by: fc.constantFrom('cluster', 'demo', 'other'),
  to: fc.constantFrom('User/jane', 'User/joe', 'Group/team', 'Group/system:masters'),
});
const access: fc.Arbitrary<Access> = fc.oneof(
  fc.record({
    verb: fc.constantFrom('get', 'list', 'create', 'deletecollection'),
    group: fc.constantFrom('', 'apps', 'batch'),
    resource: fc.constantFrom('pods', 'jobs'),
    subresource: fc.constantFrom('', 'log', 'scale'),
    namespace: fc.constantFrom('', 'demo', 'other'),
    name: fc.constantFrom('', 'a', 'c'),
  }),
  fc.record({
    verb: fc.constantFrom('get', 'post'),
    path: fc.constantFrom('/a', '/a/', '/a/b', '/ab', '/b'),
  }),
);

interface Grant {
  readonly rule: Rule;
  readonly by: string;
  readonly to: string;
}

/** The documentation of RBAC, sentence by sentence, for jane of the team. */
function mayJane(grants: readonly Grant[], wanted: Access): boolean {
  return grants.some(({ rule, by, to }) => {
    if (to !== 'User/jane' && to !== 'Group/team') return false;
    const has = (list: readonly string[] = [], value: string): boolean =>
      list.some((one) => one === value || one === '*');
    if (!has(rule.verbs, wanted.verb)) return false;
    if (!('resource' in wanted)) {
      const patterns = rule.nonResourceURLs ?? [];
      if (by !== 'cluster') return false;
      return patterns.some((pattern) => {
        const expression = pattern.replaceAll('/', '\\/').replace('*', '.*');
        return new RegExp(`^${expression}$`).test(wanted.path);
      });
    }
    if (by !== 'cluster' && by !== wanted.namespace) return false;
    const { subresource, resource, name } = wanted;
    const names = subresource ? [`${resource}/${subresource}`, `*/${subresource}`] : [resource];
    const limited = (rule.resourceNames ?? []).length > 0;
    return (
      has(rule.apiGroups, wanted.group) &&
      names.some((one) => has(rule.resources, one)) &&
      (!limited || rule.resourceNames?.includes(name) === true)
    );
  });
}

test('a rule allows what the RBAC documentation says', () => {
  fc.assert(
    fc.property(fc.array(granted, { maxLength: 4 }), access, (grants, wanted) => {
      const storage = new Storage({ historyLimit: 100 });
      const put = (object: KubernetesObject): void => {
        const plural = `${object.kind.toLowerCase()}s.rbac.authorization.k8s.io`;
        storage.put(plural, object as unknown as Parameters<Storage['put']>[1]);
      };
      for (const [index, { rule, by, to }] of grants.entries()) {
        const namespace = by === 'cluster' ? undefined : by;
        const kind = by === 'cluster' ? 'ClusterRole' : 'Role';
        put(role(`r${index}`, namespace, rule));
        put(binding(`b${index}`, namespace, `${kind}/r${index}`, to));
      }
      const jane = callerOf({ name: 'jane', groups: ['team'] });

      const { allowed } = rbacAuthorization(storage).decide(jane, wanted);

      expect(allowed).toBe(mayJane(grants, wanted));
    }),
  );
});

test('a member of system:masters may do everything, whatever roles there are', () => {
  const storage = new Storage({ historyLimit: 100 });
  const root = callerOf({ name: 'root', groups: ['system:masters'] });

  fc.assert(
    fc.property(access, (wanted) => {
      expect(rbacAuthorization(storage).decide(root, wanted).allowed).toBe(true);
    }),
  );
});
