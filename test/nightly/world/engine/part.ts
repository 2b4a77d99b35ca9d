import type { ModelPart } from './run.ts';
import { Model } from '../model/model.ts';
import { settingsOf } from '../model/settings.ts';
import { makeScript, play } from '../model/script.ts';

/** The accounts, the clients and the judge of a world. */
export const part: ModelPart<Model> = {
  makeScript,
  createModel: (world, settings, steps) => new Model(world, steps, settingsOf(settings)),
  play,
  told: (model, step) => model.troubles.note(step, model.world.now()),
  hear(model, place, text) {
    if (place === 'metrics') model.judgeMetrics(text);
    else model.judgeSecrets(text, place);
  },
};
