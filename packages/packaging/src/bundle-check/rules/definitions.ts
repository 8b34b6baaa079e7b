import type { Bundle } from '../bundle.ts';
import type { BundleProblem, BundleRule } from '../bundle-finding.ts';
import { listAt, textAt } from '../fields.ts';
import { definitionsIn, groupOfName, kindsOf, ownedKinds, shown } from '../owned.ts';

const OWNED = 'spec.customresourcedefinitions.owned';

/**
 * The folder must contain exactly the CustomResourceDefinitions that the ClusterServiceVersion
 * owns.
 */
export const ownedDefinitions: BundleRule = {
  id: 'owned-definitions',
  check(bundle) {
    return [...badNames(bundle), ...missing(bundle), ...notOwned(bundle), ...duplicates(bundle)];
  },
};

function badNames({ csv }: Bundle): readonly BundleProblem[] {
  return listAt(csv.fields, 'spec', 'customresourcedefinitions', 'owned').flatMap((owned, at) => {
    const name = textAt(owned, 'name');
    if (name.includes('.') && groupOfName(name) !== '') return [];
    const wrong = `is ${JSON.stringify(name)}, which is not the name of a definition`;
    return [{ path: `${OWNED}[${at}].name`, wrong, todo: 'write plural.group' }];
  });
}

function missing(bundle: Bundle): readonly BundleProblem[] {
  const present = new Set(definitionsIn(bundle).flatMap(kindsOf).map(shown));
  return ownedKinds(bundle).flatMap((owned, at) =>
    present.has(shown(owned))
      ? []
      : [
          {
            path: `${OWNED}[${at}]`,
            wrong: `names ${shown(owned)}, and no definition in manifests/ has it, so that nothing would serve it`,
            todo: 'add the definition, or leave it out here',
          },
        ],
  );
}

/**
 * Definitions that the ClusterServiceVersion does not own. Additional versions of an owned
 * definition need no entry.
 */
function notOwned(bundle: Bundle): readonly BundleProblem[] {
  const owned = new Set(ownedKinds(bundle).map(({ group, kind }) => `${kind}.${group}`));
  return definitionsIn(bundle)
    .filter((definition) =>
      kindsOf(definition).every((each) => !owned.has(`${each.kind}.${each.group}`)),
    )
    .map(({ file, name }) => ({
      file,
      path: '',
      wrong: `defines ${name}, which the ClusterServiceVersion does not own`,
      todo: `add it to ${OWNED}, or leave the file out`,
    }));
}

function duplicates(bundle: Bundle): readonly BundleProblem[] {
  const files = new Map<string, string>();
  return definitionsIn(bundle).flatMap((definition) =>
    kindsOf(definition).flatMap((kind) => {
      const before = files.get(shown(kind));
      if (before === undefined) {
        files.set(shown(kind), definition.file);
        return [];
      }
      const wrong = `defines ${shown(kind)}, and so does ${before}: OLM would apply both, one over the other`;
      return [{ file: definition.file, path: 'spec.versions', wrong, todo: 'leave one out' }];
    }),
  );
}

/** The API server must accept each CustomResourceDefinition. */
export const validDefinitions: BundleRule = {
  id: 'valid-definition',
  check(bundle, { definitionProblems }) {
    const definitions = definitionsIn(bundle).filter(
      ({ apiVersion }) => apiVersion === 'apiextensions.k8s.io/v1',
    );
    if (definitions.length > 0 && definitionProblems === undefined) {
      return [
        {
          level: 'warning',
          file: definitions[0]?.file ?? '',
          path: '',
          wrong:
            'and the other definitions were not validated: the package @chancery/testing is not installed',
          todo: 'run npm install --save-dev @chancery/testing',
        },
      ];
    }
    return definitions.flatMap(({ file, fields }) =>
      (definitionProblems?.(fields) ?? []).map((problem) => ({
        file,
        path: '',
        wrong: `would be refused by an API server: ${problem}`,
        todo: 'correct the definition',
      })),
    );
  },
};
