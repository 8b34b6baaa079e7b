/** Every rule about bundles: the good bundle passes, and one change of it does not. */
import { expect, test } from 'vitest';
import type { BundleCheckOptions } from '../../src/bundle-check/bundle-finding.ts';
import { BUNDLE_RULES, bundleFindings } from '../../src/bundle-check/bundle-findings.ts';
import { object } from './change.ts';
import { CHANGES } from './framework-changes.ts';
import { type BundleParts, bundleFiles } from './good-bundle.ts';
import { OLM_V1, OURS } from './own-changes.ts';
import { PASSING } from './passing-changes.ts';

/** What an API server would say to every definition: nothing. */
const ACCEPTED: BundleCheckOptions = { definitionProblems: () => [] };

/** `level rule path` of each finding. */
function found(
  change?: (parts: BundleParts) => void,
  options: BundleCheckOptions = {},
): readonly string[] {
  return bundleFindings(bundleFiles(change), { ...ACCEPTED, ...options }).map(
    ({ level, rule, path }) => `${level} ${rule}${path === '' ? '' : ` ${path}`}`,
  );
}

test('[packaging 10] `check bundle` finds nothing in a good bundle', () => {
  expect(bundleFindings(bundleFiles(), ACCEPTED)).toEqual([]);
});

test.each(CHANGES)('[packaging 10] validator $validator finds: $what', ({
  change,
  finds,
  options,
}) => {
  expect(found(change, options)).toEqual(finds);
});

test.each(PASSING)('[packaging 10] validator $validator accepts: $what', ({
  change,
  options,
  finds = [],
}) => {
  expect(found(change, options)).toEqual(finds);
});

test('[packaging 10] each of the validators 1 to 13 is tested with a bundle that passes and a bundle that fails', () => {
  // Validator 7 has a test of its own: it counts bytes.
  const numbers = [1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13];
  const of = (changes: readonly { readonly validator: unknown }[]) =>
    numbers.filter((number) => changes.some(({ validator }) => validator === number));

  expect(of(CHANGES)).toEqual(numbers);
  expect(of(PASSING)).toEqual(numbers);
});

test.each([
  'constructor',
  '__proto__',
  'toString',
  'hasOwnProperty',
])('a bundle in which every name is the string %s has unknown kinds and labels, and causes no crash', (word) => {
  const lines = found(({ csv, files }) => {
    files['manifests/x.yaml'] = `apiVersion: ${word}\nkind: ${word}\nmetadata:\n  name: x\n`;
    csv.spec.customresourcedefinitions.owned[0].resources = [{ kind: word, version: word }];
    csv.metadata.labels[`operatorframework.io/arch.${word}`] = 'supported';
  });

  expect(lines).toEqual([
    'error kind kind',
    `error platform-label metadata.labels[operatorframework.io/arch.${word}]`,
  ]);
});

test.each(
  OURS,
)('`check bundle` finds problems that OLM would ignore, or refuse only later: $what', ({
  change,
  finds,
}) => {
  expect(found(change)).toEqual(finds);
});

test.each(OLM_V1)('[packaging 17] for OLM v1 `check bundle` finds: $what', ({ change, finds }) => {
  expect(found(change)).toEqual(finds);
});

test('[packaging 17] the warning about watched namespaces contains the feature gate of OLM v1', () => {
  const files = bundleFiles(({ csv }) => {
    csv.spec.installModes = [{ type: 'OwnNamespace', supported: true }];
  });

  const [finding] = bundleFindings(files, ACCEPTED);

  expect(finding?.message).toMatch(/feature gate SingleOwnNamespaceInstallSupport/);
});

test('a bundle that is only for OLM v0 may have dependencies', () => {
  const change = ({ files }: BundleParts): void => {
    files['metadata/dependencies.yaml'] = { dependencies: [{ type: 'olm.package', value: {} }] };
  };

  expect(found(change, { olmV0Only: true })).toEqual([]);
});

test('[packaging 10] validator 7 measures the size after compression', () => {
  const big = (bytes: number): readonly string[] =>
    found(({ files }) => {
      const text = noise(bytes);
      const map = { ...object('v1', 'ConfigMap', 'x'), data: { text } };
      files['manifests/big.yaml'] = map;
    });

  // Noise of 64 letters has 6 bits in a byte, and base64 makes 8 of them again.
  expect(big(800_000)).toEqual([]);
  expect(big(960_000)).toEqual(['warning size']);
  expect(big(1_100_000)).toEqual(['error size']);
  expect(
    found(({ csv }) => {
      csv.spec.description = 'a'.repeat(4_000_000);
    }),
  ).toEqual([]);
});

test('[packaging 15] labels of the image that differ from the annotations are reported as errors', () => {
  const change = ({ files }: BundleParts): void => {
    const text = bundleFiles().get('bundle.Dockerfile') ?? '';
    files['bundle.Dockerfile'] = text
      .replace('=stable\n', '=fast\n')
      .replace(/LABEL .*package.*\n/, '');
  };

  expect(found(change)).toEqual([
    'error image-labels LABEL operators.operatorframework.io.bundle.channels.v1',
    'error image-labels LABEL operators.operatorframework.io.bundle.package.v1',
  ]);
});

test('for every rule of `check bundle` there is a bundle that violates the rule', () => {
  const shown = [...CHANGES, ...OURS, ...OLM_V1].flatMap(({ finds }) =>
    finds.map((line) => line.split(' ')[1]),
  );
  const elsewhere = ['size', 'image-labels'];

  const missing = BUNDLE_RULES.map(({ id }) => id).filter(
    (id) => !shown.includes(id) && !elsewhere.includes(id),
  );

  expect(missing).toEqual([]);
});

/** Letters that do not compress, and are the same each time. */
function noise(length: number): string {
  const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  let state = 1;
  let text = '';
  for (let at = 0; at < length; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    text += LETTERS[state >>> 26];
  }
  return text;
}
