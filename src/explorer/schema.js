// Moves and zooms the picture, and finds names in it. Without this, the picture is shown whole.
const [frame, sought, found, whole] = ['picture', 'sought', 'found', 'whole'].map((id) => document.getElementById(id));
const svg = frame.querySelector('svg');
const drawn = svg.viewBox.baseVal;
const size = { width: drawn.width, height: drawn.height };
/** What stands in the corner of the frame, and how many lengths of the picture a pixel has. */
const view = { x: 0, y: 0, scale: 1 };

function draw() {
  const { clientWidth: width, clientHeight: height } = frame;
  svg.setAttribute('viewBox', [view.x, view.y, width * view.scale, height * view.scale].join(' '));
}

function move(x, y) {
  view.x += x * view.scale;
  view.y += y * view.scale;
  draw();
}

/** Zooms around a point of the frame, in pixels. */
function zoom(factor, x = frame.clientWidth / 2, y = frame.clientHeight / 2) {
  const scale = Math.min(8, Math.max(0.2, view.scale * factor));
  view.x += x * (view.scale - scale);
  view.y += y * (view.scale - scale);
  view.scale = scale;
  draw();
}

function showWhole() {
  const scale = Math.max(size.width / frame.clientWidth, size.height / frame.clientHeight);
  Object.assign(view, { x: (size.width - frame.clientWidth * scale) / 2, y: 0, scale });
  draw();
}

/** Moves the picture until an element stands in the middle, or where there is room for it. */
function show(element) {
  const [outer, inner] = [frame, element].map((each) => each.getBoundingClientRect());
  const x = inner.left + inner.width / 2 - outer.left - outer.width / 2;
  move(x, Math.min(inner.top - outer.top - 20, inner.top + inner.height / 2 - outer.top - outer.height / 2));
}

frame.addEventListener(
  'wheel',
  (event) => {
    event.preventDefault();
    const { left, top } = frame.getBoundingClientRect();
    zoom(2 ** (event.deltaY / 300), event.clientX - left, event.clientY - top);
  },
  { passive: false },
);
// One pointer moves the picture, two zoom it.
const held = new Map();
frame.addEventListener('pointerdown', (event) => held.set(event.pointerId, event));
frame.addEventListener('pointermove', (event) => {
  const before = held.get(event.pointerId);
  if (before === undefined) return;
  const [x, y] = [before.clientX - event.clientX, before.clientY - event.clientY];
  const isBegun = frame.hasPointerCapture(event.pointerId);
  if (!isBegun && Math.hypot(x, y) < 4) return;
  // What is dragged from a name is no click on it.
  if (!isBegun) frame.setPointerCapture(event.pointerId);
  held.set(event.pointerId, event);
  const other = [...held.values()].find(({ pointerId }) => pointerId !== event.pointerId);
  if (other === undefined) return move(x, y);
  const to = (one) => Math.max(1, Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY));
  const { left, top } = frame.getBoundingClientRect();
  zoom(to(before) / to(event), (event.clientX + other.clientX) / 2 - left, (event.clientY + other.clientY) / 2 - top);
});
for (const end of ['pointerup', 'pointercancel']) addEventListener(end, (event) => held.delete(event.pointerId));
frame.addEventListener('dragstart', (event) => event.preventDefault());

const keys = { ArrowLeft: [-80, 0], ArrowRight: [80, 0], ArrowUp: [0, -80], ArrowDown: [0, 80] };
frame.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key in keys) move(...keys[event.key]);
  else if (event.key === '+' || event.key === '-') zoom(event.key === '+' ? 0.8 : 1.25);
  else return;
  event.preventDefault();
});
for (const button of document.querySelectorAll('[data-zoom]'))
  button.addEventListener('click', () => zoom(Number(button.dataset.zoom)));
whole.addEventListener('click', showWhole);

const names = [...svg.querySelectorAll('.name')];
let matches = [];
sought.addEventListener('input', () => {
  const text = sought.value.trim().toLowerCase();
  const isMatch = (name) => text !== '' && name.textContent.toLowerCase().includes(text);
  matches = names.filter(isMatch);
  for (const name of names) name.classList.toggle('is-found', isMatch(name));
  found.textContent = text === '' ? '' : `${matches.length} found. Enter shows the next.`;
});
sought.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || matches.length === 0) return;
  const [next] = matches;
  matches = [...matches.slice(1), next];
  for (const name of names) name.classList.toggle('is-current', name === next);
  show(next);
});

const showTarget = () => show(svg.querySelector(':target') ?? svg.querySelector('#picture-Query'));
addEventListener('hashchange', showTarget);
addEventListener('resize', draw);
draw();
showTarget();
