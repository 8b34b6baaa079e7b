import { ANNOTATIONS_FILE, type Bundle, isManifest } from '../bundle.ts';
import type { BundleProblem, BundleRule } from '../bundle-finding.ts';
import { fieldsAt, textAt } from '../fields.ts';

const PREFIX = 'operators.operatorframework.io.bundle.';
const DOCKERFILE = 'bundle.Dockerfile';

/** Annotations with a fixed value. */
const FIXED: Readonly<Record<string, string>> = {
  [`${PREFIX}mediatype.v1`]: 'registry+v1',
  [`${PREFIX}manifests.v1`]: 'manifests/',
  [`${PREFIX}metadata.v1`]: 'metadata/',
};

/**
 * Files must be in the folders from which OLM reads them, and the annotations must contain the
 * names of these folders.
 */
export const layout: BundleRule = {
  id: 'layout',
  check(bundle) {
    return [
      ...strayFiles(bundle),
      ...bundle.filesOfSeveral.map((file) => ({
        file,
        path: '',
        wrong: 'has several documents, and OLM reads only the first',
        todo: 'write a file for each object',
      })),
      ...annotationProblems(bundle),
    ];
  },
};

function strayFiles({ files }: Bundle): readonly BundleProblem[] {
  return [...files.keys()]
    .filter((file) => file.startsWith('manifests/') && !isManifest(file))
    .map((file) => ({
      file,
      path: '',
      wrong: 'is hidden or in a folder of manifests/, which OLM refuses',
      todo: 'move it into manifests/ itself, or away',
    }));
}

function annotationProblems({ annotations, files }: Bundle): readonly BundleProblem[] {
  const file = ANNOTATIONS_FILE;
  const todo = 'generate the bundle again';
  if (!files.has(file)) {
    return [{ file, path: '', wrong: 'is missing, and catalogs read the package from it', todo }];
  }
  const fixed = Object.entries(FIXED).filter(([key, value]) => textAt(annotations, key) !== value);
  const empty = ['package.v1', 'channels.v1']
    .map((key) => PREFIX + key)
    .filter((key) => textAt(annotations, key).trim() === '');
  return [
    ...fixed.map(([key, value]) => ({
      file,
      path: `annotations[${key}]`,
      wrong: `is ${JSON.stringify(annotations[key] ?? null)}`,
      todo: `write ${value}`,
    })),
    ...empty.map((key) => ({
      file,
      path: `annotations[${key}]`,
      wrong: 'is missing, so no catalog can place the bundle',
      todo: 'write it',
    })),
    ...defaultProblems(annotations),
  ];
}

function defaultProblems(annotations: unknown): readonly BundleProblem[] {
  const key = `${PREFIX}channel.default.v1`;
  const channel = textAt(annotations, key).trim();
  const channels = textAt(annotations, `${PREFIX}channels.v1`).split(',');
  if (channel === '' || channels.some((each) => each.trim() === channel)) return [];
  return [
    {
      level: 'warning',
      file: ANNOTATIONS_FILE,
      path: `annotations[${key}]`,
      wrong: `is ${JSON.stringify(channel)}, and the bundle is not in this channel`,
      todo: 'see that another bundle of the package is, or name a channel of this one',
    },
  ];
}

/**
 * The labels of the image must equal the annotations in the folder. Some tools read the labels, and
 * other tools read the annotations.
 */
export const imageLabels: BundleRule = {
  id: 'image-labels',
  check({ files, annotations }) {
    const text = files.get(DOCKERFILE);
    if (text === undefined) return [];
    const labels = labelsIn(text);
    const given = fieldsAt(annotations);
    const keys = new Set([...Object.keys(given), ...labels.keys()]);
    return [...keys]
      .filter((key) => /^(?:operators\.operatorframework\.io|com\.redhat\.openshift)\./.test(key))
      .filter((key) => labels.get(key) !== given[key])
      .sort()
      .map((key) => ({
        file: DOCKERFILE,
        path: `LABEL ${key}`,
        wrong: `is ${JSON.stringify(labels.get(key) ?? null)}, and in ${ANNOTATIONS_FILE} ${JSON.stringify(given[key] ?? null)}`,
        todo: 'write the same in both',
      }));
  },
};

/** The labels of a Dockerfile that has one label per line. */
function labelsIn(text: string): ReadonlyMap<string, string> {
  const found = text.matchAll(/^LABEL\s+([^\s=]+)=(?:"([^"]*)"|([^\s]*))\s*$/gim);
  return new Map([...found].map(([, key = '', quoted, plain = '']) => [key, quoted ?? plain]));
}
