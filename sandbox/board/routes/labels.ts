import type { Call } from '../call.ts';
import type { Board } from '../model.ts';
import { createLabel, deleteLabel, updateLabel } from '../operations/boards.ts';
import { coded, invalidValue, plain } from '../refusal.ts';
import { del, type Endpoint, get, post, put } from '../router.ts';
import { labelColors } from '../views/boards.ts';
import { labelShape } from '../views/cards.ts';
import { show } from '../views/fields.ts';

const write = ['write:board'] as const;

/** Missing, empty and null all mean colourless. */
export const colorFrom = (call: Call, name = 'color'): string | null | undefined => {
  const color = call.input.clearable(name);
  if (typeof color === 'string' && !labelColors.includes(color)) throw invalidValue(name);
  return color;
};

const badName = () => coded(400, 'invalid value for name', 'BAD_REQUEST_ERROR');

export const labelFrom = (call: Call, board: Board) => {
  const name = call.input.text('name', badName);
  if (name === undefined || name.length > 16384) throw badName();
  const label = createLabel(call.world, call.actor, board, name, colorFrom(call) ?? null);
  return { ...show(labelShape, label, 'all', call.viewer), limits: {} };
};

export const labelRoutes: readonly Endpoint[] = [
  post('/labels', write, (call) => {
    const { actor } = call;
    const idBoard = call.input.id('idBoard', () => invalidValue('idBoard'));
    if (idBoard === undefined) throw invalidValue('idBoard');
    return actor && labelFrom(call, call.board('write', idBoard));
  }),
  get('/labels/:idLabel', ['read:board'], (call) => show(labelShape, call.label(), call.fields('all'), call.viewer)),
  put('/labels/:idLabel', write, (call) => {
    const label = call.label('write');
    const changes = { name: call.input.limited('name'), color: colorFrom(call) };
    return show(labelShape, updateLabel(call.world, call.actor, label, changes), 'all', call.viewer);
  }),
  put('/labels/:idLabel/:field', write, (call) => {
    const { field } = call.params;
    if (field !== 'name' && field !== 'color')
      throw plain(404, `Cannot PUT /1/labels/${call.params['idLabel']}/${field}`);
    const label = call.label('write');
    if (!call.input.has('value')) throw invalidValue('value');
    const changes = field === 'name' ? { name: call.input.limited('value') } : { color: colorFrom(call, 'value') };
    return show(labelShape, updateLabel(call.world, call.actor, label, changes), 'all', call.viewer);
  }),
  del('/labels/:idLabel', write, (call) => {
    deleteLabel(call.world, call.actor, call.label('write'));
    return { limits: {} };
  }),
];
