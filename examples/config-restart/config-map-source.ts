import { type Source, source } from 'chancery';
import { type ConfigMap, configMaps } from 'chancery/kubernetes';

/** The ConfigMaps whose keys are reconciled. */
export const configMapSource: Source<ConfigMap> = source(configMaps);
