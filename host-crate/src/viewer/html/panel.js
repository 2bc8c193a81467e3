// Panel: tools, lists of objects, and sliders.

/** Number of labels from which on a search field is shown. */
const SEARCHABLE = 12;

/** Creates an element with properties and children. */
function element(name, properties = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key in node) node[key] = value;
    else node.setAttribute(key, value);
  }
  node.append(...children);
  return node;
}

class Panel {
  constructor(view) {
    this.view = view;
    const { scene } = view;
    this.lists = document.getElementById("lists");
    this.controls = document.getElementById("controls");
    document.getElementById("title").textContent = scene.title;
    document.getElementById("generator").textContent = `Written by ${scene.generator}. Press ? for all keys.`;
    document.getElementById("notes").append(...scene.notes.map(note => element("p", { textContent: note })));
    this.addTools();
    this.addLists();
    this.addSliders();
    this.addHelp();
    this.update();
  }

  addTools() {
    const tools = document.getElementById("tools");
    this.toggles = [];
    for (const action of this.view.actions) {
      if (!action.button) continue;
      const button = element("button", {
        type: "button", textContent: action.button, title: `${action.text} (${action.keys[0].toUpperCase()})`,
        onclick: () => this.view.perform(action),
      });
      if (action.isOn) this.toggles.push([button, action.isOn]);
      tools.append(button);
    }
  }

  addLists() {
    const { items } = this.view.scene;
    const labels = items.filter(item => item.label);
    const surfaces = items.filter(item => item.kind === "mesh" && !item.label);
    this.boxes = [];
    this.addList("Surfaces", surfaces);
    this.addList("Labels", labels);
    this.addList("Skeletons", items.filter(item => item.kind === "skeleton"));
    this.addList("Volumes", items.filter(item => item.kind === "volume"));
  }

  addList(title, items) {
    if (items.length === 0) return;
    const rows = element("div", { className: "rows" });
    const heading = element("h2", {}, element("span", { textContent: title }));
    const setAll = visible => {
      for (const item of items) item.visible = visible;
      this.view.changed();
    };
    if (items.length > 1 && items[0].kind !== "volume") {
      heading.append(
        element("button", { type: "button", textContent: "All", onclick: () => setAll(true) }),
        element("button", { type: "button", textContent: "None", onclick: () => setAll(false) }),
      );
    }
    this.lists.append(heading);
    if (items.length > SEARCHABLE) {
      this.lists.append(element("input", {
        type: "search", placeholder: "Find a name", "aria-label": `Find in ${title}`,
        oninput: event => {
          const text = event.target.value.toLowerCase();
          for (const row of rows.children) row.hidden = !row.textContent.toLowerCase().includes(text);
        },
      }));
    }
    for (const item of items) rows.append(this.row(item, items));
    this.lists.append(rows);
  }

  row(item, items) {
    const box = element("input", {
      type: "checkbox",
      onchange: () => {
        item.visible = box.checked;
        if (item.kind === "volume" && box.checked) {
          for (const other of items) other.visible = other === item;
        }
        this.view.changed();
      },
    });
    this.boxes.push([box, item]);
    const label = element("label", { title: item.name }, box);
    if (item.color) label.append(element("span", { className: "swatch", style: `background: rgb(${item.color})` }));
    label.append(element("span", { className: "name", textContent: item.name }));
    const counts = {
      mesh: () => `${item.triangles.toLocaleString("en")} △`,
      skeleton: () => `${item.lines.toLocaleString("en")} curves`,
      volume: () => item.dims.map((n, axis) => n * item.reduction[axis]).join(" × "),
    };
    label.append(element("span", { className: "count", textContent: counts[item.kind]() }));
    const row = element("div", { className: "row" }, label);
    if (item.kind === "mesh" && items.length > 1) {
      row.append(element("button", {
        type: "button", textContent: "only", title: "Show only this one",
        onclick: () => {
          for (const other of items) other.visible = other === item;
          this.view.changed();
        },
      }));
    }
    return row;
  }

  addSliders() {
    const { view } = this;
    const { state, scene } = view;
    this.sliders = [];
    const has = kind => scene.items.some(item => item.kind === kind);
    if (has("mesh")) {
      this.controls.append(element("h2", {}, element("span", { textContent: "Appearance" })));
      this.addSlider(this.controls, "Opacity", () => state.opacity, value => { state.opacity = value; }, value => `${Math.round(100 * value)} %`);
    }
    if (has("volume")) {
      this.controls.append(element("h2", {}, element("span", { textContent: "Slices" })));
      state.slices.forEach((slice, axis) => {
        const row = this.addSlider(this.controls, "", () => slice.position, value => { slice.position = value; slice.visible = true; },
          value => format(view.sliceWorld(axis, value)));
        const box = element("input", { type: "checkbox", onchange: () => { slice.visible = box.checked; view.changed(); } });
        row.firstChild.append(element("label", {}, box, ` ${view.sliceName(axis)}`));
        this.boxes.push([box, slice]);
      });
    }
    this.clipControls = element("div");
    this.clipControls.append(element("h2", {}, element("span", { textContent: "Clip plane" })));
    const choices = element("div", { className: "choices" });
    this.choices = ["x", "y", "z", "view"].map(axis => {
      const name = axis === "view" ? "View" : axis.toUpperCase();
      const button = element("button", { type: "button", textContent: name, onclick: () => view.setClipAxis(axis) });
      choices.append(button);
      return [button, axis];
    });
    choices.append(element("button", {
      type: "button", textContent: "Flip", onclick: () => { state.clip.sign *= -1; view.changed(); },
    }));
    this.clipControls.append(choices);
    this.addSlider(this.clipControls, "Position", () => state.clip.position, value => { state.clip.position = value; }, value => `${Math.round(100 * value)} %`);
    this.controls.append(this.clipControls);
  }

  addSlider(parent, name, get, set, text) {
    const output = element("output");
    const input = element("input", {
      type: "range", min: 0, max: 1, step: "any", "aria-label": name || "Position",
      oninput: () => { set(Number(input.value)); this.view.changed(); },
    });
    const row = element("div", { className: "slider" }, element("span", { textContent: name }), input, output);
    this.sliders.push(() => { input.value = get(); output.textContent = text(get()); });
    parent.append(row);
    return row;
  }

  addHelp() {
    const rows = this.view.actions.map(({ keys, text }) => {
      const list = element("td");
      keys.forEach((key, i) => list.append(i ? " " : "", element("kbd", { textContent: key.length === 1 ? key.toUpperCase() : key.replace("Arrow", "") })));
      return element("tr", {}, list, element("td", { textContent: text }));
    });
    const mouse = [
      ["Drag", "Rotate"], ["Shift or right button and drag", "Move"], ["Wheel, or two fingers", "Zoom"], ["Two fingers", "Move"],
    ];
    rows.push(...mouse.map(([what, text]) => element("tr", {}, element("td", { textContent: what }), element("td", { textContent: text }))));
    const help = document.getElementById("help");
    help.append(
      element("table", {}, ...rows),
      element("p", {}, element("button", { type: "button", textContent: "Close", onclick: () => help.close() })),
    );
  }

  update() {
    for (const [box, item] of this.boxes) box.checked = item.visible;
    for (const slider of this.sliders) slider();
    for (const [button, isOn] of this.toggles) button.setAttribute("aria-pressed", isOn());
    const { clip } = this.view.state;
    this.clipControls.hidden = !clip.on;
    for (const [button, axis] of this.choices) button.setAttribute("aria-pressed", clip.axis === axis);
  }
}
