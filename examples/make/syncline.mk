# Written by `syncline init --make`: include it in a Makefile, or call `make -f syncline.mk verify`.
# `verify` checks all models; a model is checked again when a file it depends on has changed.
SYNCLINE ?= syncline

SYNCLINE_MODELS := heater pump steering

.PHONY: verify $(SYNCLINE_MODELS:%=verify-%)
verify: $(SYNCLINE_MODELS:%=verify-%)
$(SYNCLINE_MODELS:%=verify-%): verify-%: .syncline/%.safe

$(SYNCLINE_MODELS:%=.syncline/%.safe): .syncline/%.safe: syncline.toml
	@$(SYNCLINE) check syncline.toml --model $* --cache .syncline --stamp $@

-include $(SYNCLINE_MODELS:%=.syncline/%.safe.d)
