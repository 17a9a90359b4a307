// Figures are saved from this page, as `figures/` has them; nothing else is needed.
(() => {
  const css = "STYLE";

  // As they are written: what the browser makes of them is rounded.
  const size = (svg) => svg.getAttribute("viewBox").split(" ").slice(2);

  function file(svg) {
    const copy = svg.cloneNode(true);
    const [width, height] = size(svg);
    const add = (name, attributes, text = "") => {
      const element = document.createElementNS(svg.namespaceURI, name);
      Object.entries(attributes).forEach(([key, value]) => element.setAttribute(key, value));
      element.textContent = text;
      return element;
    };
    copy.removeAttribute("class");
    copy.removeAttribute("style");
    copy.setAttribute("width", width);
    copy.setAttribute("height", height);
    copy.querySelector("desc").after(add("style", {}, css), add("rect", { class: "f-paper", width, height }));
    return new XMLSerializer().serializeToString(copy);
  }

  function bitmap(svg, text) {
    const [width, height] = size(svg).map((side) => Math.round(2 * side));
    const image = new Image();
    image.src = "data:image/svg+xml," + encodeURIComponent(text);
    return image.decode().then(() => {
      const canvas = Object.assign(document.createElement("canvas"), { width, height });
      canvas.getContext("2d").drawImage(image, 0, 0, width, height);
      return new Promise((done) => canvas.toBlob(done, "image/png"));
    });
  }

  // What a link of a figure leads to, made from the page.
  function made(link) {
    const svg = link.closest("figure").querySelector(".drawing svg");
    const text = file(svg);
    return link.download.endsWith(".png") ? bitmap(svg, text) : Promise.resolve(new Blob([text], { type: "image/svg+xml" }));
  }

  function save(blob, name) {
    const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  }

  document.addEventListener("click", (event) => {
    const link = event.target.closest(".files a");
    if (link === null) return;
    event.preventDefault();
    made(link).then((blob) => save(blob, link.download)).catch(() => { location.href = link.href; });
  });
})();
