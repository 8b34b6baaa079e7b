import { isDnsSubdomain, MAX_DNS_LABEL } from 'chancery/internal';
import type { Bundle } from '../bundle.ts';
import type { BundleProblem, BundleRule } from '../bundle-finding.ts';
import { fieldsAt, textAt, valueAt } from '../fields.ts';
import { semanticVersion } from '../semantic-version.ts';

/** Checks the name of the ClusterServiceVersion, and the name of the version that it replaces. */
export const names: BundleRule = {
  id: 'name',
  check({ csv: { fields } }) {
    return [
      { path: 'metadata.name', name: textAt(fields, 'metadata', 'name') },
      { path: 'spec.replaces', name: textAt(fields, 'spec', 'replaces') },
    ]
      .filter(({ path, name }) => path === 'metadata.name' || name !== '')
      .filter(({ name }) => !isDnsSubdomain(name) || name.length > MAX_DNS_LABEL)
      .map(({ path, name }) => ({
        path,
        wrong: `is ${JSON.stringify(name)}, which cannot be a name and the value of a label; OLM uses it as both`,
        todo: 'write at most 63 of a-z, 0-9, "-" and ".", such as my-operator.v1.2.3',
      }));
  },
};

/** Fields that OLM's Go types always write. */
const REQUIRED: readonly (readonly string[])[] = [
  ['apiVersion'],
  ['kind'],
  ['metadata'],
  ['spec'],
  ['spec', 'displayName'],
  ['spec', 'install'],
  ['spec', 'install', 'strategy'],
];

/** Reports missing fields without which a bundle cannot be installed or shown. */
export const requiredFields: BundleRule = {
  id: 'required-fields',
  check({ csv: { fields } }) {
    const hasStrategySpec = Object.keys(fieldsAt(fields, 'spec', 'install', 'spec')).length > 0;
    const deployments = ['spec', 'install', 'spec', 'deployments'];
    return [...REQUIRED, ...(hasStrategySpec ? [deployments] : [])]
      .filter((path) => isEmpty(valueAt(fields, path)))
      .map((path) => ({
        path: path.join('.'),
        wrong: 'is missing, and OLM needs it',
        todo: 'write it',
      }));
  },
};

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

/** Names should have the format that users and catalogs expect. */
export const nameConvention: BundleRule = {
  id: 'name-convention',
  check({ csv: { name } }) {
    const [, version] = /^.*?\.v(.*)$/.exec(name) ?? [];
    if (version !== undefined && semanticVersion(version) !== undefined) return [];
    return [
      {
        level: 'warning',
        path: 'metadata.name',
        wrong: `is ${JSON.stringify(name)}, and people look for a package, ".v" and a version`,
        todo: 'write my-operator.v1.2.3',
      },
    ];
  },
};

/** Checks the name of a bundle that is released again with the same version. */
export const releaseName: BundleRule = {
  id: 'release-name',
  check(bundle) {
    const release = textAt(bundle.csv.fields, 'spec', 'release');
    if (release === '') return [];
    return [...releaseProblems(release), ...releasedNameProblems(bundle, release)];
  },
};

const RELEASE = /^(?:0|[1-9][0-9]*|[0-9]*[a-zA-Z-][0-9a-zA-Z-]*)$/;

function releaseProblems(release: string): readonly BundleProblem[] {
  if (release.length <= 20 && release.split('.').every((part) => RELEASE.test(part))) return [];
  return [
    {
      path: 'spec.release',
      wrong: `is ${JSON.stringify(release)}, which OLM cannot compare`,
      todo: 'write at most 20 characters: parts of letters, digits and "-" between dots, no number with a leading 0',
    },
  ];
}

function releasedNameProblems(bundle: Bundle, release: string): readonly BundleProblem[] {
  const { csv, annotations } = bundle;
  const packageName = textAt(annotations, 'operators.operatorframework.io.bundle.package.v1');
  const expected = `${packageName}-v${textAt(csv.fields, 'spec', 'version')}-${release}`;
  if (csv.name === expected) return [];
  return [
    {
      path: 'metadata.name',
      wrong: `is ${JSON.stringify(csv.name)}, but with spec.release the name follows from package, version and release`,
      todo: `write ${expected}`,
    },
  ];
}
