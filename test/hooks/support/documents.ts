import type { YamlReader } from '../../../operator/core/yaml-thread/yaml-reader.ts';
import { yamlWork } from '../../../operator/core/yaml-thread/yaml-work.ts';
import { readConfig } from '../../../operator/hooks/config/parse-config.ts';
import type { HookConfig, HookRight } from '../../../operator/hooks/hook.ts';
import { readRights } from '../../../operator/hooks/rights/rights-file.ts';

/** Reads YAML as the thread does, without a thread. */
export const YAML_HERE: Pick<YamlReader, 'read'> = {
  read: async (request) => yamlWork(request),
};

const { signal } = new AbortController();

/** With what results are read. */
export const READ_PARTS = { yaml: YAML_HERE, signal };

export function configOf(text: string): Promise<HookConfig> {
  return readConfig(text, YAML_HERE, signal);
}

export function rightsOf(text: string): Promise<readonly HookRight[]> {
  return readRights(text, YAML_HERE, signal);
}
