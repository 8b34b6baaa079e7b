import { messageOf } from 'chancery';
import type { Bundle } from '../bundle.ts';
import type { BundleProblem, BundleRule } from '../bundle-finding.ts';
import { fieldsAt, listAt, textAt } from '../fields.ts';
import { groupOfName } from '../owned.ts';

const PATH = 'metadata.annotations.alm-examples';

/** Checks the examples that the console offers for each API. */
export const examples: BundleRule = {
  id: 'examples',
  check(bundle) {
    const annotations = fieldsAt(bundle.csv.fields, 'metadata', 'annotations');
    const keys = ['alm-examples', 'olm.examples'].filter((key) => Object.hasOwn(annotations, key));
    const [key] = keys;
    if (key === undefined) {
      return [warning(PATH, 'is missing, so the console has no example', 'write a JSON array')];
    }
    const path = `metadata.annotations.${key}`;
    const both = warning(path, 'is not alone: olm.examples is ignored', 'leave out olm.examples');
    const text = textAt(annotations, key);
    return [...(keys.length > 1 ? [both] : []), ...textProblems(text, path, bundle)];
  },
};

function textProblems(text: string, path: string, bundle: Bundle): readonly BundleProblem[] {
  if (text === '') return matched([], path, bundle);
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    return [{ path, wrong: `is not JSON: ${messageOf(error)}`, todo: 'write a JSON array' }];
  }
  if (Array.isArray(parsed)) return matched(parsed, path, bundle);
  return [{ path, wrong: 'is no JSON array', todo: 'put the examples between [ and ]' }];
}

function matched(
  given: readonly unknown[],
  path: string,
  bundle: Bundle,
): readonly BundleProblem[] {
  const shown = new Set(
    given.map((each) => `${textAt(each, 'apiVersion')} ${textAt(each, 'kind')}`),
  );
  const owned = new Set(ownedApis(bundle));
  const foreign = [...shown].filter((api) => !owned.has(api));
  const without = [...owned].filter((api) => !shown.has(api));
  return [
    ...foreign.map((api) => ({
      path,
      wrong: `has an example of ${JSON.stringify(api)}, which the bundle does not own`,
      todo: 'leave it out, or own the API',
    })),
    ...without.map((api) => warning(path, `has no example of ${api}`, 'add one')),
  ];
}

/** Returns each owned API, written as `apiVersion kind`. */
function ownedApis({ csv: { fields } }: Bundle): readonly string[] {
  const definitions = listAt(fields, 'spec', 'customresourcedefinitions', 'owned').map(
    (owned) =>
      `${groupOfName(textAt(owned, 'name'))}/${textAt(owned, 'version')} ${textAt(owned, 'kind')}`,
  );
  const services = listAt(fields, 'spec', 'apiservicedefinitions', 'owned').map(
    (owned) => `${textAt(owned, 'group')}/${textAt(owned, 'version')} ${textAt(owned, 'kind')}`,
  );
  return [...definitions, ...services];
}

function warning(path: string, wrong: string, todo: string): BundleProblem {
  return { level: 'warning', path, wrong, todo };
}
