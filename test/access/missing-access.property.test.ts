/** What is said to be missing, held to the authorizer of the embedded API server. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { VERBS } from '../../operator/access/merge-access.ts';
import { missingAccess, missingRules } from '../../operator/access/missing-access.ts';
import type { RequiredAccessRule } from '../../operator/access/required-access.ts';
import { neededAccess } from '../../operator/access/required-rights.ts';
import { configMaps, deployments } from '../../operator/model/builtin.ts';
import { type PolicyRule, ruleAllows } from '../../testing/src/apiserver/auth/policy-rule.ts';

const some = <T extends string>(...values: T[]) =>
  fc.subarray(values, { minLength: 1, maxLength: 2 });
const place = fc.constantFrom('demo', 'other', undefined);

const declared: fc.Arbitrary<RequiredAccessRule> = fc
  .record({
    resource: fc.constantFrom(configMaps, deployments),
    subresource: fc.constantFrom(undefined, 'status', 'scale'),
    namespace: place,
    verbs: some('get', 'list', 'patch'),
    names: fc.constantFrom(undefined, ['a'], ['a', 'b']),
    reason: fc.constantFrom('source', 'owns', 'permission'),
  })
  .map(({ names, ...access }) => ({ ...access, ...(names && { resourceNames: names }) }));

const rule: fc.Arbitrary<PolicyRule> = fc
  .record({
    verbs: some('get', 'list', 'patch', '*'),
    apiGroups: some('', 'apps', '*'),
    resources: some('configmaps', 'deployments', 'deployments/status', '*/scale', '*'),
    names: fc.constantFrom([], ['a'], ['b'], ['a', 'b']),
  })
  .map(({ names, ...rest }) => ({ ...rest, ...(names.length > 0 && { resourceNames: names }) }));

const grants = fc.array(fc.record({ rule, place }), { maxLength: 4 });

type Grants = typeof grants extends fc.Arbitrary<infer G> ? G : never;

function missingOf(access: readonly RequiredAccessRule[], granted: Grants) {
  return missingAccess(neededAccess(access), (namespace) => ({
    resourceRules: granted.flatMap((each) =>
      each.place === undefined || each.place === namespace
        ? [each.rule as PolicyRule & { resources: string[] }]
        : [],
    ),
    nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['*'] }],
  }));
}

test('a permission is reported as missing exactly if the API server would refuse a request that needs it', () => {
  fc.assert(
    fc.property(fc.array(declared, { minLength: 1, maxLength: 4 }), grants, (access, granted) => {
      const found = missingOf(access, granted).rights;

      const isMissing = (
        verb: string,
        each: RequiredAccessRule,
        name: string | undefined,
      ): boolean =>
        found.some(
          (right) =>
            right.verb === verb &&
            right.resource === each.resource &&
            right.subresource === each.subresource &&
            [undefined, each.namespace].includes(right.namespace) &&
            [undefined, name].includes(right.name),
        );
      const isAllowed = (
        verb: string,
        each: RequiredAccessRule,
        name: string | undefined,
      ): boolean =>
        granted.some(
          (grant) =>
            [undefined, each.namespace].includes(grant.place) &&
            ruleAllows(grant.rule, {
              verb,
              group: each.resource.group,
              resource: each.resource.plural,
              subresource: each.subresource ?? '',
              namespace: each.namespace ?? '',
              name: name ?? '',
            }),
        );
      for (const each of access) {
        for (const verb of each.verbs) {
          for (const name of each.resourceNames ?? [undefined]) {
            const wider = access.some(
              (other) =>
                other !== each &&
                other.resource === each.resource &&
                other.subresource === each.subresource &&
                other.verbs.includes(verb) &&
                [undefined, each.namespace].includes(other.namespace) &&
                (other.resourceNames ?? [name]).includes(name as string),
            );
            // A right that is part of a wider one is told of as that one.
            if (!isAllowed(verb, each, name)) expect(isMissing(verb, each, name)).toBe(true);
            else if (!wider) expect(isMissing(verb, each, name)).toBe(false);
          }
        }
      }
    }),
  );
});

test('after the suggested rules are added, no permission is missing, and each of the rules is needed', () => {
  fc.assert(
    fc.property(fc.array(declared, { minLength: 1, maxLength: 4 }), grants, (access, granted) => {
      const toAdd = missingRules(missingOf(access, granted)).map(({ rule: added, namespace }) => ({
        rule: added as PolicyRule,
        place: namespace as 'demo' | 'other' | undefined,
      }));

      expect(missingOf(access, [...granted, ...(toAdd as Grants)]).rights).toEqual([]);
      for (const left of toAdd) {
        const others = toAdd.filter((each) => each !== left) as Grants;
        expect(missingOf(access, [...granted, ...others]).rights).not.toEqual([]);
      }
      expect(toAdd.flatMap(({ rule: { verbs } }) => verbs)).toEqual(
        toAdd.flatMap(({ rule: { verbs } }) => VERBS.filter((verb) => verbs.includes(verb))),
      );
    }),
  );
});
