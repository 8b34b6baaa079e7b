import type { YamlReader } from '../../../operator/core/yaml-thread/yaml-reader.ts';
import { yamlWork } from '../../../operator/core/yaml-thread/yaml-work.ts';
import { documentIn } from '../../../operator/hooks/config/fields.ts';
import { parseConfig } from '../../../operator/hooks/config/parse-config.ts';
import type { HookConfig, HookRight } from '../../../operator/hooks/hook.ts';
import type { ReadParts } from '../../../operator/hooks/results/read-documents.ts';
import { parseRights } from '../../../operator/hooks/rights/rights-file.ts';
import { runToEnd } from '../../support/run-to-end.ts';

/** Reads YAML as the thread does, without a thread. */
export const YAML_HERE: Pick<YamlReader, 'read'> = { read: async (request) => yamlWork(request) };

/** With what results are read. */
export const READ_PARTS: ReadParts = { yaml: YAML_HERE, signal: new AbortController().signal };

/** What the text of an answer to `--config` says. */
export function configOf(text: string): HookConfig {
  return parseConfig(documentOf(text));
}

/** What the text of a rights file says. */
export function rightsOf(text: string): readonly HookRight[] {
  return parseRights(documentOf(text));
}

function documentOf(text: string): unknown {
  return runToEnd(documentIn(yamlWork({ texts: [text], form: 'unique' })));
}
