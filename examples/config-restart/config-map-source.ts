import { type ConfigMap, configMaps, type Source, source } from 'chancery';

/** The ConfigMaps whose keys are reconciled. */
export const configMapSource: Source<ConfigMap> = source(configMaps);
