import { registerHooks } from 'node:module';

// Artifacts import each other as `./x.graphql` and leave the rest to a bundler (relay issue 4606); Node wants the
// whole name. Whoever loads artifacts imports this first, and them after it.
registerHooks({
  resolve: (name, context, next) => {
    const isArtifact =
      name.endsWith('.graphql') && context.parentURL?.includes('/test/clients/projects/relay/generated/') === true;
    return next(isArtifact ? `${name}.ts` : name, context);
  },
});
