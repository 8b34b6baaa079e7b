import { isMapping } from 'chancery/internal';
import type { Bundle } from '../bundle.ts';
import type { BundleProblem, BundleRule } from '../bundle-finding.ts';
import { fieldsAt, listAt, textAt, valueAt } from '../fields.ts';

const CAPABILITIES = [
  'Basic Install',
  'Seamless Upgrades',
  'Full Lifecycle',
  'Deep Insights',
  'Auto Pilot',
];

const CATEGORIES: readonly string[] = [
  'AI/Machine Learning',
  'Application Runtime',
  'Big Data',
  'Cloud Provider',
  'Database',
  'Developer Tools',
  'Integration & Delivery',
  'Logging & Tracing',
  'Modernization & Migration',
  'Monitoring',
  'Networking',
  'Observability',
  'OpenShift Optional',
  'Security',
  'Storage',
  'Streaming & Messaging',
];

const MEDIA_TYPES = ['image/gif', 'image/jpeg', 'image/png', 'image/svg+xml'];

/** Checks the content of the operator's page on OperatorHub. */
export const hubPage: BundleRule = {
  id: 'operator-hub',
  check(bundle) {
    const { fields } = bundle.csv;
    const provider = textAt(fields, 'spec', 'provider', 'name').trim();
    return [
      ...(provider === ''
        ? [wrong('spec.provider.name', 'is missing', 'name the organization that offers it')]
        : []),
      ...maintainerProblems(bundle),
      ...linkProblems(bundle),
      ...iconProblems(bundle),
    ];
  },
};

function maintainerProblems({ csv }: Bundle): readonly BundleProblem[] {
  return listAt(csv.fields, 'spec', 'maintainers').flatMap((maintainer, at) => {
    const path = `spec.maintainers[${at}]`;
    const [name, email] = [textAt(maintainer, 'name'), textAt(maintainer, 'email')];
    if (name === '' || email === '') {
      return [wrong(path, 'has not both a name and an e-mail address', 'write both')];
    }
    if (isMailAddress(email)) return [];
    const what = `is ${JSON.stringify(email)}, which is no e-mail address`;
    return [wrong(`${path}.email`, what, 'write name@example.com')];
  });
}

/** True for a plain address, or an address with a name before it: `Jane Doe <jane@example.com>`. */
function isMailAddress(text: string): boolean {
  const [, inner] = /^[^<>@]*<([^<>]*)>$/.exec(text) ?? [];
  return /^[^\s@<>,;:()[\]\\"]+@[^\s@<>,;:()[\]\\".]+(?:\.[^\s@<>,;:()[\]\\".]+)*$/.test(
    inner ?? text,
  );
}

function linkProblems({ csv }: Bundle): readonly BundleProblem[] {
  return listAt(csv.fields, 'spec', 'links').flatMap((link, at) => {
    const path = `spec.links[${at}]`;
    const [name, url] = [textAt(link, 'name'), textAt(link, 'url')];
    if (name === '' || url === '')
      return [wrong(path, 'has not both a name and a URL', 'write both')];
    if (!/\s/.test(url) && (url.startsWith('/') || URL.canParse(url))) return [];
    const what = `is ${JSON.stringify(url)}, which is no URL`;
    return [wrong(`${path}.url`, what, 'write https://…')];
  });
}

function iconProblems({ csv }: Bundle): readonly BundleProblem[] {
  const path = 'spec.icon';
  const icons = listAt(csv.fields, 'spec', 'icon');
  const todo = `write one icon with base64data and a mediatype of ${MEDIA_TYPES.join(', ')}`;
  const [icon] = icons;
  if (icon === undefined) {
    const missing = wrong(path, 'is missing, so catalogs show a picture of their own', todo);
    return [{ ...missing, level: 'warning' }];
  }
  const type = textAt(icon, 'mediatype');
  const what = [
    icons.length > 1 ? `has ${icons.length} icons, and one is shown` : '',
    type === '' || textAt(icon, 'base64data') === '' ? 'has not both data and a media type' : '',
    type === '' || MEDIA_TYPES.includes(type) ? '' : `has the media type ${JSON.stringify(type)}`,
  ];
  return what.filter((each) => each !== '').map((each) => wrong(path, each, todo));
}

/** Checks the capability level of the operator. There are five levels. */
export const capabilities: BundleRule = {
  id: 'capabilities',
  check({ csv: { fields } }) {
    const value = valueAt(fields, ['metadata', 'annotations', 'capabilities']);
    if (value === undefined || CAPABILITIES.includes(String(value))) return [];
    const what = `is ${JSON.stringify(value)}, which is no capability level`;
    const todo = `write one of ${CAPABILITIES.join(', ')}`;
    return [wrong('metadata.annotations.capabilities', what, todo)];
  },
};

/** Checks that the categories of the operator are categories of the catalog. */
export const categories: BundleRule = {
  id: 'categories',
  check({ csv: { fields } }, { categories: known = CATEGORIES }) {
    const annotations = fieldsAt(fields, 'metadata', 'annotations');
    if (!Object.hasOwn(annotations, 'categories')) return [];
    return textAt(annotations, 'categories')
      .split(',')
      .map((category) => category.trim())
      .filter((category) => !known.includes(category))
      .map((category) => {
        const what = `names ${JSON.stringify(category)}, which is no category of the catalog`;
        return wrong('metadata.annotations.categories', what, `write some of ${known.join(', ')}`);
      });
  },
};

function wrong(path: string, what: string, todo: string): BundleProblem {
  return { path, wrong: what, todo };
}

/**
 * Parses a file for `OPERATOR_BUNDLE_CATEGORIES`: `{"categories": ["A", "B"]}`. Undefined for any
 * other content.
 */
export function categoriesIn(text: string): readonly string[] | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    if (!isMapping(parsed)) return undefined;
    const list = listAt(parsed, 'categories');
    return list.every((each) => typeof each === 'string') ? (list as readonly string[]) : undefined;
  } catch {
    return undefined;
  }
}
