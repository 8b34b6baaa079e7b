import { ConfigurationError } from 'chancery';
import type { ManifestFile, OperatorModel } from 'chancery/internal';
import { literal } from './expressions.ts';
import { labelled } from './other-objects.ts';
import { printTree } from './print.ts';

/** The files of a mounted folder in a chart. */
export interface FolderParts {
  /** The files of the folder, unchanged. Templates in them are not expanded. */
  readonly files: readonly ManifestFile[];
  /** The named template `folder`, which renders the data of the ConfigMap. */
  readonly named: string;
  /** The ConfigMap with the files of the folder. */
  readonly configMap: string;
}

/**
 * The files of the mounted folder. Undefined when nothing is mounted.
 *
 * @throws ConfigurationError `CONFIG` when the contents of the files in the mounted folder are
 * missing.
 */
export function folderParts(chart: string, model: OperatorModel): FolderParts | undefined {
  const { configMap, options } = model;
  const mount = options.program?.folder?.mount;
  if (mount === undefined) return undefined;
  if (configMap === undefined) {
    throw new ConfigurationError(
      'a chart contains the files of its folder, and their texts are missing',
    );
  }
  const { data, ...object } = configMap;
  const pathOf = (key: string): string => `files/${mount}/${key}`;
  const lines = Object.keys(data).map(
    (key) => `${literal(key)}: {{ $.Files.Get ${literal(pathOf(key))} | toJson }}\n`,
  );
  return {
    files: Object.entries(data).map(([key, text]) => ({ path: pathOf(key), text })),
    named: `{{- define ${literal(`${chart}.folder`)} -}}\n${lines.join('')}{{- end }}\n`,
    configMap: `${printTree(labelled(chart, object), { chart })}data:\n  {{- include ${literal(`${chart}.folder`)} $ | nindent 2 }}\n`,
  };
}
